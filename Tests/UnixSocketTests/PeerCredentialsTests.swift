import EventLoop
import Glibc
import TestSupport
import Testing
import UnixSocket

@Suite struct PeerCredentialsTests {
  @Test(
    .enabled(if: TestPeer.canBeSomebodyElse, Comment(rawValue: TestPeer.rootAbsence)), arguments: [0, 2, 100, 5000])
  func `another user's groups are known, however many they are`(count: Int) async throws {
    try await SocketFolder.with { folder in
      chmod(folder.path, 0o755)
      try await RunningLoop.with { loop in
        try await withTaskExecutorPreference(loop) { () async throws in
          let reception = try Reception(at: folder["app.sock"], on: loop)
          let groups = (0..<count).map { UInt32(30_000 + $0) }
          let process = try Self.connect(to: reception.path, uid: 12_345, gid: 23_456, groups: groups)
          var next = reception.arrivals.makeAsyncIterator()
          let connection = try #require(await next.next())
          let peer = try #require(PeerCredentials(ofSocket: connection))
          #expect(peer.uid == 12_345)
          #expect(peer.gids.first == 23_456)
          #expect(Set(peer.gids.dropFirst()) == Set(groups))
          close(connection)
          waitpid(process, nil, 0)
          reception.listener.close()
        }
      }
    }
  }

  @Test func `what is no socket has no peer`() {
    #expect(PeerCredentials(ofSocket: 0) == nil)
    #expect(PeerCredentials(ofSocket: -1) == nil)
  }

  /// A child that connects and stays until the connection is closed.
  private static func connect(to path: String, uid: UInt32, gid: UInt32, groups: [UInt32]) throws -> pid_t {
    let list = groups.isEmpty ? "--clear-groups" : "--groups=" + groups.map { "\($0)" }.joined(separator: ",")
    let words = [
      "/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(gid)", list, "/usr/bin/socat", "-u", "UNIX-CONNECT:\(path)",
      "STDOUT",
    ]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let result = posix_spawn(&process, words[0], nil, nil, &arguments, environ)
    guard result == 0 else { throw EventLoopError(code: -result) }
    return process
  }
}
