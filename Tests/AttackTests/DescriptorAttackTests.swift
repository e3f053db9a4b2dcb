import Glibc
import TestSupport
import Testing

/// Row 30: descriptors and connections as a means to exhaust the daemon.
@Suite(.serialized) struct DescriptorAttackTests {
  @Test func `descriptors that a peer passes along are not kept`() async throws {
    try await TestService.withPeer { _, peer in
      var pipeEnds: [Int32] = [0, 0]
      #expect(pipe(&pipeEnds) == 0)
      for end in pipeEnds {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      let ping = try await peer.call("system.ping")
      #expect(ping.result != nil)
      let line = Array((TestPeer.call("system.ping", id: #""fd""#) + "\n").utf8)
      for _ in 0..<50 {
        #expect(Self.send(line, passing: pipeEnds[1], over: peer.descriptor) == line.count)
        let answer = try await peer.answer()
        #expect(answer.result != nil)
      }
      // Once the only writing ends that anybody may hold are closed, the reader sees the end.
      close(pipeEnds[1])
      var byte: UInt8 = 0
      #expect(read(pipeEnds[0], &byte, 1) == 0)
      close(pipeEnds[0])
    }
  }

  /// Sends bytes together with a descriptor (SCM_RIGHTS).
  private static func send(_ bytes: [UInt8], passing passed: Int32, over descriptor: Int32) -> Int {
    // struct cmsghdr: length, level, type, and then the descriptor, aligned to eight bytes.
    var control: (Int, Int32, Int32, Int32, Int32) = (20, SOL_SOCKET, 1, passed, 0)
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { bytes in
      withUnsafeMutableBytes(of: &control) { control in
        var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          message.msg_iov = vector
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  @Test func `a flood of connections of one uid is refused and leaves room when it goes`() async throws {
    try await TestService.with(.init(limits: "connections_per_uid: 20")) { services, _ in
      let peers = try (0..<20).map { _ in try services[0].connect() }
      for peer in peers { #expect(try await peer.call("system.ping").result != nil) }
      let more = try (0..<200).map { _ in try services[0].connect() }
      for peer in more { peer.send(TestPeer.call("system.ping", id: "1")) }
      for peer in more {
        // Told why, or, far over the limit, closed without a word.
        let answers = try await peer.untilEnd()
        #expect(answers.allSatisfy { $0.limit == "connections_per_uid" && $0.result == nil })
        peer.close()
      }
      for peer in peers { #expect(try await peer.call("system.ping").result != nil) }
      for peer in peers.dropFirst() { peer.close() }
      while try await peers[0].call("server.status").result?["connections"]?.integer != 1 {}
      let again = try services[0].connect()
      #expect(try await again.call("system.ping").result != nil)
      again.close()
      peers[0].close()
    }
  }

  @Test func `calls that wait for an answer are bounded and others are served`() async throws {
    try await TestService.with(.init(limits: "calls_in_flight: 16")) { services, database in
      let flood = try services[0].connect()
      let other = try services[0].connect()
      defer { other.close() }
      let user = try await flood.signIn("apple", "mira").userID ?? ""
      try await database.holding("select from kith.users for update") {
        for call in 0..<2000 {
          flood.send(TestPeer.call("user.disable", #"{"id":"\#(user)","reason":"r"}"#, id: "\(call)"))
        }
        for _ in 0..<50 {
          let answer = try await other.call("system.ping")
          #expect(answer.result != nil)
          let known = try await other.call("user.get", #"{"id":"\#(user)"}"#)
          #expect(known.result != nil)
        }
        // Whoever goes away while calls wait takes nothing along.
        flood.close()
      }
      while try await other.call("server.status").result?["connections"]?.integer != 1 {}
    }
  }

  @Test func `a daemon stops in good order while calls of peers that are gone still wait`() async throws {
    try await TestService.with(.init(limits: "calls_in_flight: 16")) { services, database in
      let flood = try services[0].connect()
      let other = try services[0].connect()
      let user = try await flood.signIn("apple", "mira").userID ?? ""
      try await database.holding("select from kith.users for update") {
        for call in 0..<100 {
          flood.send(TestPeer.call("user.disable", #"{"id":"\#(user)","reason":"r"}"#, id: "\(call)"))
        }
        _ = try await other.call("system.ping")
        flood.close()
        _ = try await other.call("system.ping")
        other.close()
        await services[0].stop()
      }
    }
  }
}
