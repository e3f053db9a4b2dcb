import Foundation
import Glibc

extension TestPeer {
  /// Why some tests do not run.
  public static let rootAbsence = "Only root can become somebody else."

  /// Whether this process can connect as somebody else.
  public static var canBeSomebodyElse: Bool { geteuid() == 0 }

  /// Connects as another user: through a child process of theirs that passes bytes along, and ends with the connection.
  public static func connect(path: String, asUID uid: UInt32, group: UInt32? = nil) throws -> TestPeer {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      throw SystemCallFailure(call: "socketpair", errno: errno)
    }
    defer { Glibc.close(pair[1]) }
    let groups = group.map { ["--regid", "\($0)", "--clear-groups"] } ?? ["--clear-groups"]
    try run(
      ["/usr/bin/setpriv", "--reuid", "\(uid)"] + groups + [
        "/usr/bin/socat", "-t", "0.1", "-", "UNIX-CONNECT:\(path)",
      ],
      on: pair[1])
    return try TestPeer(descriptor: pair[0])
  }

  /// Starts a program whose input and output are one descriptor. It ends with its connection, and is reaped then: as long as
  /// there is a child that has ended and that nobody waits for, Swift Testing does not see the end of a test's own process.
  private static func run(_ words: [String], on descriptor: Int32) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let result = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
    guard result == 0 else { throw SystemCallFailure(call: "posix_spawn", errno: result) }
    let child = process
    Thread.detachNewThread { waitpid(child, nil, 0) }
  }
}
