import EventLoop
import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// Clients that are slow, deaf or too many.
  @Suite
  struct HardClientTests {
    @Test func `a client that never reads is closed at the limit, and others do not suffer`() async throws {
      try await withPeople { trial, daemon in
        let others = try (0..<4).map { _ in try trial.connect() }
        defer { for other in others { other.close() } }
        let before = try await times(of: others, calls: 400).p99
        let deaf = try trial.connect()
        defer { deaf.close() }
        deaf.pauseReading()
        async let during = times(of: others, calls: 1500)
        let calls = (0..<2000).map { TestPeer.call("rpc.discover", id: "\($0)") + "\n" }
        deaf.send(bytes: calls.flatMap { Array($0.utf8) })
        _ = try await daemon.line(containing: "it does not read its answers")
        let beside = try await during
        // Twice, and the time that the machine takes for what else it does.
        #expect(beside.p99 < before * 2 + .milliseconds(20), "\(before) became \(beside)")
        // Nor is a single one of them left waiting.
        #expect(beside.slowest < promised, "\(beside)")
        #expect(try peakMegabytes(of: daemon) < 200)
        deaf.resumeReading()
        _ = try await deaf.lines(.max)
      }
    }

    @Test func `a thousand slow connections do not keep an administrator waiting`() async throws {
      try await withPeople { trial, _ in
        let peers = try (0..<1000).map { _ in try trial.connect() }
        defer { for peer in peers { peer.close() } }
        let administrator = try TestPeer(path: trial.admin)
        defer { administrator.close() }
        var slowest = Duration.zero
        // One half says nothing, the other a byte at a time.
        for byte in TestPeer.call("system.ping", id: "1").utf8.prefix(20) {
          for peer in peers.prefix(500) {
            _ = withUnsafeBytes(of: byte) { send(peer.descriptor, $0.baseAddress, 1, 0) }
          }
          let start = ContinuousClock.now
          #expect(try await administrator.call("server.status").reason == nil)
          slowest = max(slowest, start.duration(to: .now))
        }
        #expect(slowest < .milliseconds(100))
      }
    }

    @Test func `out of descriptors the daemon rests, and serves again when there are some`() async throws {
      try await withPeople(wrapper: ["/usr/bin/prlimit", "--nofile=64:64"]) { trial, daemon in
        let peers = try (0..<200).map { _ in try trial.connect() }
        #expect(try await peers[0].call("system.ping").reason == nil)
        let loop = try EventLoop()
        try loop.start(name: "interval")
        defer { loop.stop() }
        let before = try processorSeconds(of: daemon)
        // What is measured is what is done in this time.
        await loop.pause(milliseconds: 1000)
        #expect(try processorSeconds(of: daemon) - before < 0.2)
        for peer in peers { peer.close() }
        let start = ContinuousClock.now
        #expect(try await trial.call("user.get", #"{"email":"nobody@example.org"}"#).reason == "not_found")
        #expect(start.duration(to: .now) < promised)
      }
    }

    @Test func `a daemon whose errors nobody reads any more goes on`() async throws {
      try await withPeople { trial, daemon in
        daemon.stopListening()
        let peer = try trial.connect()
        defer { peer.close() }
        daemon.signal(SIGHUP)
        for _ in 0..<50 { #expect(try await peer.call("system.ping").reason == nil) }
        daemon.signal(SIGHUP)
        for _ in 0..<50 { #expect(try await peer.call("server.status").reason == nil) }
      }
    }

    @Test func `a daemon whose errors are not read, with the pipe full, goes on, says so later, and ends`() async throws
    {
      try await withPeople { trial, daemon in
        try await daemon.letPipeFill()
        // Each connection refused and each reading of the configuration is a line, by a worker and by the main loop.
        for number in 0..<50 {
          daemon.signal(SIGHUP)
          let call = KeyedCall.signIn(number, by: "apple", number: number, tag: "unread")
          let peer = try trial.connect()
          defer { peer.close() }
          peer.send(call.line)
          #expect(try await peer.answer().reason == nil)
        }
        daemon.listenAgain()
        _ = try await daemon.line(containing: "the configuration was read again")
        try await daemon.letPipeFill()
        daemon.signal(SIGHUP)
        #expect(try await trial.call("system.ping").reason == nil)
        let start = ContinuousClock.now
        #expect(try await daemon.stop() == .exited(0))
        #expect(start.duration(to: .now) < .seconds(5))
      }
    }

    // MARK: Tools

    private func withPeople(
      wrapper: [String] = [], _ body: (DaemonTrial, DaemonProcess) async throws -> Void
    ) async throws {
      try await TestDatabase.with { database in
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          var trial = trial
          trial.wrapper = wrapper
          try await trial.withDaemon { try await body(trial, $0) }
        }
      }
    }

    /// How long calls take on several connections at once: all but one in a hundred, and the slowest.
    private func times(of peers: [TestPeer], calls: Int) async throws -> (p99: Duration, slowest: Duration) {
      try await withThrowingTaskGroup(of: [Duration].self) { group in
        for peer in peers {
          group.addTask {
            var times: [Duration] = []
            for _ in 0..<calls / peers.count {
              let start = ContinuousClock.now
              _ = try await peer.call("user.get", #"{"email":"nobody@example.org"}"#)
              times.append(start.duration(to: .now))
            }
            return times
          }
        }
        var times: [Duration] = []
        for try await some in group { times += some }
        times.sort()
        return (times[times.count * 99 / 100], try #require(times.last))
      }
    }

    private func processorSeconds(of daemon: DaemonProcess) throws -> Double {
      let text = try String(contentsOfFile: "/proc/\(daemon.id)/stat", encoding: .utf8)
      // After the name in brackets the 12th and 13th are user and system time, in ticks (proc(5)).
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      let ticks = try fields.dropFirst(11).prefix(2).map { try #require(Double($0)) }.reduce(0, +)
      return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func peakMegabytes(of daemon: DaemonProcess) throws -> Int {
      let text = try String(contentsOfFile: "/proc/\(daemon.id)/status", encoding: .utf8)
      let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) / 1024
    }
  }
}
