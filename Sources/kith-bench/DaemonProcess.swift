import Glibc

/// A `kithd` of this run.
struct DaemonProcess {
  let program: ChildProgram
  /// From the start of the program to the line that says it is ready.
  let startSeconds: Double
  private let output: Int32

  private static let startSecondsMax = 60.0
  private static let stopSecondsMax = 30.0

  init(_ arguments: [String]) throws(BenchFailure) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .system("a pipe") }
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(reader, F_SETFD, FD_CLOEXEC)
    // What it says later is not read, and must not stop it.
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let start = MonotonicTime.seconds()
    do throws(BenchFailure) {
      program = try ChildProgram(arguments, output: writer)
    } catch {
      close(reader)
      close(writer)
      throw error
    }
    close(writer)
    do throws(BenchFailure) {
      try Self.waitUntilReady(reader, deadline: start + Self.startSecondsMax)
    } catch {
      close(reader)
      program.stop(seconds: Self.stopSecondsMax)
      throw error
    }
    startSeconds = MonotonicTime.seconds() - start
    output = reader
  }

  /// Ends it, with its cluster if it has one.
  func stop() {
    program.stop(seconds: Self.stopSecondsMax)
    close(output)
  }

  private static func waitUntilReady(_ output: Int32, deadline: Double) throws(BenchFailure) {
    var said: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: said, as: UTF8.self).contains("kithd: ready\n") {
      try Interruption.check()
      guard MonotonicTime.seconds() < deadline else { throw BenchFailure("kithd does not become ready") }
      var watch = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&watch, 1, 250) > 0 else { continue }
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { throw BenchFailure("kithd ended:\n\(String(decoding: said, as: UTF8.self))") }
      said += buffer[..<count]
    }
  }
}
