import Accounts
import Configuration
import Dispatch
import Glibc
import Service
import TestSupport
import Testing

/// The journal never holds up who writes to it.
@Suite(.timeLimit(.minutes(5))) struct JournalTests {
  private static let lines = 1000
  private static let writers = 4

  @Test(arguments: LogSettings.Format.allCases)
  func `a full pipe that nobody reads holds up no writer, and what was dropped is told when it flows again`(
    _ format: LogSettings.Format
  ) throws {
    let pipe = try Pipe()
    try pipe.fill()
    let output = try LineOutput(descriptor: pipe.writing, waitingBytesMax: 4096)
    let journal = Journal(LogSettings(level: .info, format: format), to: output, isReadByJournal: true) {
      Timestamp(microseconds: 0)
    }
    DispatchQueue.concurrentPerform(iterations: Self.writers) { _ in
      for line in 0..<Self.lines { journal.write(.info, "line \(line)") }
    }
    #expect(!output.finish(withinMilliseconds: 1))
    var written = 0
    var dropped = 0
    while written + dropped < Self.writers * Self.lines, let line = pipe.readLine() {
      if line.isEmpty { continue }
      let notice = line.firstMatch(of: /dropped ([0-9]+) lines/)
      if let notice { dropped += Int(notice.output.1) ?? 0 } else { written += 1 }
      switch format {
      case .text: #expect(line.hasPrefix(notice == nil ? "kithd: line " : "kithd: warning: dropped "))
      case .json: #expect(try WireJSON(line)["level"] == .string(notice == nil ? "info" : "warning"))
      case .journal: #expect(line.hasPrefix(notice == nil ? "<6>line " : "<4>dropped "))
      }
    }
    #expect(written > 0 && dropped > 0)
    #expect(written + dropped == Self.writers * Self.lines)
    #expect(output.finish(withinMilliseconds: 60_000))
  }

  @Test func `with a reader every line comes, in order, and on a descriptor that does not block, too`() throws {
    for flags in [0, O_NONBLOCK] {
      let pipe = try Pipe()
      _ = fcntl(pipe.writing, F_SETFL, flags)
      let output = try LineOutput(descriptor: pipe.writing)
      let journal = Journal(LogSettings(level: .info, format: .text), to: output, isReadByJournal: true) {
        Timestamp(microseconds: 0)
      }
      // More than a pipe holds.
      let words = String(repeating: "x", count: 1000)
      for line in 0..<Self.lines { journal.write(.info, "\(line) \(words)") }
      for line in 0..<Self.lines { #expect(pipe.readLine() == "kithd: \(line) \(words)") }
      #expect(output.finish(withinMilliseconds: 60_000))
    }
  }

  @Test func `a reader that is gone holds up nobody`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = try Pipe()
    pipe.stopReading()
    let output = try LineOutput(descriptor: pipe.writing)
    for _ in 0..<Self.lines { output.write("nobody reads this\n") { _ in "" } }
    #expect(output.finish(withinMilliseconds: 60_000))
  }
}

/// A pipe whose both ends are this test's.
private final class Pipe {
  let writing: Int32
  private var reading: Int32
  private var rest: [UInt8] = []

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    stopReading()
    close(writing)
  }

  func stopReading() {
    if reading >= 0 { close(reading) }
    reading = -1
  }

  /// Leaves no room in it, with empty lines.
  func fill() throws {
    let empty = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    while write(writing, empty, empty.count) > 0 {}
    _ = fcntl(writing, F_SETFL, 0)
  }

  /// The next line without its end; nil when none can come.
  func readLine() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(reading, &chunk, chunk.count)
      guard count > 0 else { return nil }
      rest += chunk[..<count]
    }
  }
}
