import CLinux
import Glibc

/// A program that this process started. Whoever starts one ends it, by its id.
struct ChildProgram {
  let id: pid_t
  let name: String

  /// - Parameters:
  ///   - arguments: the program's path, then its arguments.
  ///   - output: the descriptor for what it writes to its output and its errors.
  init(_ arguments: [String], output: Int32) throws(BenchFailure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
    var child: pid_t = 0
    let path = arguments[0]
    let result = Self.withCStrings(arguments) { arguments in
      Self.withCStrings(environment) { posix_spawn(&child, path, &actions, nil, arguments, $0) }
    }
    guard result == 0 else { throw .system(path, code: result) }
    id = child
    name = path
  }

  /// Waits for the end.
  ///
  /// - Returns: whether it ended well.
  /// - Throws: when it does not end in time, or the run was interrupted; then it has been killed.
  func wait(seconds: Double) throws(BenchFailure) -> Bool {
    let process = kith_pidfd_open(id)
    defer { close(process) }
    let deadline = MonotonicTime.seconds() + seconds
    var watch = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    while poll(&watch, 1, 250) <= 0 {
      do throws(BenchFailure) {
        try Interruption.check()
        if MonotonicTime.seconds() > deadline { throw BenchFailure("\(name) did not end within \(seconds) s") }
      } catch {
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        throw error
      }
    }
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status == 0
  }

  /// Asks it to end, and kills it if it does not do so in time.
  func stop(seconds: Double) {
    kill(id, SIGTERM)
    let process = kith_pidfd_open(id)
    defer { close(process) }
    let deadline = MonotonicTime.seconds() + seconds
    var watch = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    while poll(&watch, 1, 250) <= 0, MonotonicTime.seconds() < deadline {}
    if watch.revents == 0 { kill(id, SIGKILL) }
    waitpid(id, nil, 0)
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(body) ?? ENOMEM }
  }
}
