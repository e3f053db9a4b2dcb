import API
import Accounts
import Glibc
import JSONRPC
import KithClient
import TestSupport
import Testing
import UnixSocket

/// What a client makes of a daemon that does not do as it should.
@Suite(.timeLimit(.minutes(5))) struct MisbehavingDaemonTests {
  private static let pong = #""result":{"ok":true}"#

  /// Lends a fake daemon and a client of it.
  private func withClient(
    timeoutSeconds: Double = 60, patienceSeconds: Double = 0, _ body: (FakeDaemon, KithClient) async throws -> Void
  ) async throws {
    try await FakeDaemon.with { daemon in
      let client = try KithClient(
        socketPath: daemon.path, timeoutSeconds: timeoutSeconds, patienceSeconds: patienceSeconds)
      defer { client.close() }
      try await body(daemon, client)
    }
  }

  private func answer(_ id: String, _ outcome: String = pong) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"#
  }

  private func error(_ reason: String, code: Int = 1005) -> String {
    #""error":{"code":\#(code),"message":"No.","data":{"reason":"\#(reason)","retryable":false}}"#
  }

  private func ping(_ client: KithClient) async throws(ClientError) -> Bool {
    try await client.call(SystemPing.self, EmptyShape()).ok
  }

  private func failure(_ body: () async throws(ClientError) -> Void) async -> ClientError? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  /// The ids of the calls in the next lines, as they are written.
  private func ids(_ count: Int, from peer: TestPeer) async throws -> [String] {
    try await peer.lines(count).map { try #require(try WireJSON($0).callID) }
  }

  @Test func `an answer that comes byte by byte is one answer`() async throws {
    try await withClient { daemon, client in
      async let pong = ping(client)
      let peer = await daemon.accept()
      for byte in (answer(try await ids(1, from: peer)[0]) + "\r\n").utf8 { peer.send(bytes: [byte]) }
      #expect(try await pong)
    }
  }

  @Test func `answers in another order reach the calls they are for`() async throws {
    try await withClient { daemon, client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let result = try await client.call(UserSearch.self, .init(query: ExactText("\(number)")))
            #expect(result.next == ExactText("\(number)"))
          }
        }
        let peer = await daemon.accept()
        let calls = try await peer.lines(50).map { try WireJSON($0) }
        for call in calls.reversed() {
          let query = try #require(call["params"]?["query"]?.string)
          peer.send(answer(call.callID ?? "", #""result":{"items":[],"next":"\#(query)","new_member":[{}]}"#))
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: [
    "no JSON", "[]", "1", #"{"jsonrpc":"2.0"}"#, #"{"jsonrpc":"2.0","id":"x","result":{}}"#, "\u{0}",
    "{\"id\":1,\"id\":1}",
  ])
  func `garbage fails the calls under way and the next call goes over another connection`(_ line: String) async throws {
    try await withClient { daemon, client in
      async let first = failure { () throws(ClientError) in _ = try await ping(client) }
      let peer = await daemon.accept()
      _ = try await peer.line()
      peer.send(line)
      guard case .invalidAnswer = await first else {
        Issue.record("not told as an invalid answer")
        return
      }
      #expect(try await peer.line() == nil)
      async let second = ping(client)
      let next = await daemon.accept()
      next.send(answer(try await ids(1, from: next)[0]))
      #expect(try await second)
    }
  }

  @Test(arguments: [#""result":{}"#, #""result":{"ok":"yes"}"#, #""error":{"code":1,"message":"?"}"#, #""oops":1"#])
  func `an answer of another shape fails only its own call`(_ outcome: String) async throws {
    try await withClient { daemon, client in
      async let bad = failure { () throws(ClientError) in _ = try await ping(client) }
      let peer = await daemon.accept()
      let first = try await ids(1, from: peer)[0]
      async let good = ping(client)
      let second = try await ids(1, from: peer)[0]
      peer.send(answer(first, outcome))
      guard case .invalidAnswer = await bad else {
        Issue.record("not told as an invalid answer")
        return
      }
      peer.send(answer(second))
      #expect(try await good)
    }
  }

  @Test func `a refusal carries its reason and is not repeated`() async throws {
    try await withClient { daemon, client in
      async let refused = failure { () throws(ClientError) in _ = try await ping(client) }
      let peer = await daemon.accept()
      peer.send(answer(try await ids(1, from: peer)[0], error("method_forbidden", code: 1003)))
      guard case .refused(let error) = await refused else {
        Issue.record("not told as refused")
        return
      }
      #expect(error.reason == .methodForbidden)
      #expect(error.message == "No.")
    }
  }

  @Test func `a call whose answer breaks off is repeated with the same request key`() async throws {
    try await withClient { daemon, client in
      let claims = ClaimsShape(provider: "apple", subject: "000001.mira")
      async let result = client.call(SignInResolve.self, .init(claims: claims))
      let peer = await daemon.accept()
      let line = try #require(try await peer.line())
      #expect(try WireJSON(line)["params"]?["request_key"]?.string?.utf8.count ?? 0 > 20)
      peer.send(bytes: Array(#"{"jsonrpc":"2.0","id":1,"resu"#.utf8))
      peer.finishSending()
      let next = await daemon.accept()
      #expect(try await next.line() == line)
      next.send(answer("1", #""result":{"outcome":"not_found","request_id":"x"}"#))
      #expect(try await result.outcome == .notFound)
    }
  }

  @Test func `two calls never share a made-up key, and a given one is sent as it is`() async throws {
    try await withClient { daemon, client in
      let parameters = SignInResolve.Parameters(claims: ClaimsShape(provider: "apple", subject: "s"))
      let calls = [nil, nil, "order-17"].map { key in
        Task { try await client.call(SignInResolve.self, parameters, requestKey: key) }
      }
      let peer = await daemon.accept()
      let sent = try await peer.lines(3).map { try WireJSON($0) }
      #expect(Set(sent.compactMap { $0["params"]?["request_key"]?.string }).count == 3)
      #expect(sent.contains { $0["params"]?["request_key"]?.string == "order-17" })
      for call in sent {
        peer.send(answer(call.callID ?? "", #""result":{"outcome":"not_found","request_id":"x"}"#))
      }
      for call in calls { #expect(try await call.value.outcome == .notFound) }
    }
  }

  @Test(arguments: ["shutting_down", "in_progress"])
  func `what the daemon puts off is repeated`(_ reason: String) async throws {
    try await withClient { daemon, client in
      async let pong = ping(client)
      let peer = await daemon.accept()
      let line = try #require(try await peer.line())
      peer.send(answer("1", error(reason)))
      #expect(try await peer.line() == line)
      peer.send(answer("1"))
      #expect(try await pong)
    }
  }

  @Test func `what the daemon puts off for too long is told with its reason`() async throws {
    // Long enough for the answer to come in time on a busy machine, too.
    try await withClient(timeoutSeconds: 4) { daemon, client in
      async let refused = failure { () throws(ClientError) in _ = try await ping(client) }
      let peer = await daemon.accept()
      _ = try await peer.line()
      peer.send(answer("1", error("shutting_down")))
      guard case .refused(let error) = await refused else {
        Issue.record("not told as refused")
        return
      }
      #expect(error.reason == .shuttingDown)
    }
  }

  @Test func `a caller whom the daemon does not know is told so in every call under way`() async throws {
    try await withClient { daemon, client in
      let calls = (0..<20).map { _ in Task { await failure { () throws(ClientError) in _ = try await ping(client) } } }
      let peer = await daemon.accept()
      let first = try await ids(20, from: peer)[0]
      peer.send(answer(first, error("caller_unknown", code: 1003)))
      peer.finishSending()
      for call in calls {
        guard case .refused(let error) = await call.value else {
          Issue.record("not told as refused")
          return
        }
        #expect(error.reason == .callerUnknown)
      }
    }
  }

  @Test func `a call without an answer ends in its own time and others are not harmed`() async throws {
    try await withClient { daemon, client in
      async let late = failure { () throws(ClientError) in
        _ = try await client.call(SystemPing.self, EmptyShape(), timeoutSeconds: 0.1)
      }
      let peer = await daemon.accept()
      let first = try await ids(1, from: peer)[0]
      guard case .timedOut(seconds: 0.1) = await late else {
        Issue.record("not told as timed out")
        return
      }
      async let pong = ping(client)
      let second = try await ids(1, from: peer)[0]
      peer.send(answer(first))
      peer.send(answer(second))
      #expect(try await pong)
    }
  }

  @Test func `a cancelled call ends at once and its answer is passed over`() async throws {
    try await withClient { daemon, client in
      let call = Task { await failure { () throws(ClientError) in _ = try await ping(client) } }
      let peer = await daemon.accept()
      let first = try await ids(1, from: peer)[0]
      call.cancel()
      guard case .cancelled = await call.value else {
        Issue.record("not told as cancelled")
        return
      }
      peer.send(answer(first))
      async let pong = ping(client)
      peer.send(answer(try await ids(1, from: peer)[0]))
      #expect(try await pong)
    }
  }

  @Test func `no more calls are in flight than the daemon runs at once`() async throws {
    try await withClient { daemon, client in
      let calls = (0..<300).map { _ in Task { try await ping(client) } }
      let peer = await daemon.accept()
      let first = try await ids(256, from: peer)
      // Whatever else was sent would come before what this answer lets go.
      peer.send(answer(first[0]))
      #expect(try await ids(1, from: peer).count == 1)
      for id in first.dropFirst() { peer.send(answer(id)) }
      let rest = try await ids(43, from: peer)
      #expect(Set(first).isDisjoint(with: rest))
      // The one that came alone, and the rest.
      for number in 1...300 { peer.send(answer("\(number)")) }
      for call in calls { #expect(try await call.value) }
    }
  }

  @Test func `calls wait for a daemon that restarts`() async throws {
    try await withClient(patienceSeconds: 30) { daemon, client in
      async let first = ping(client)
      let peer = await daemon.accept()
      _ = try await peer.line()
      peer.finishSending()
      async let second = ping(client)
      let next = await daemon.accept()
      for id in try await ids(2, from: next) { next.send(answer(id)) }
      #expect(try await first)
      #expect(try await second)
    }
  }

  @Test func `where nobody listens a call says so`() async throws {
    let client = try KithClient(socketPath: "/nonexistent/app.sock", patienceSeconds: 0)
    defer { client.close() }
    for _ in 0..<2 {
      guard
        case .unreachable("/nonexistent/app.sock", "No such file or directory") = await failure({
          () throws(ClientError) in _ = try await ping(client)
        })
      else {
        Issue.record("not told as unreachable")
        return
      }
    }
  }

  @Test func `a daemon that accepts nobody is unreachable and holds nobody up`() async throws {
    let path = "/tmp/kith-full-\(getpid()).sock"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer {
      close(listener)
      unlink(path)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafeBytes(of: address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { bind(listener, $0.baseAddress, socklen_t(raw.count)) }
    }
    #expect(bound == 0)
    #expect(listen(listener, 0) == 0)
    var waiting: [Int32] = []
    defer { for descriptor in waiting { close(descriptor) } }
    while waiting.count < 16, let descriptor = try? SocketStream.connect(path: path) { waiting.append(descriptor) }
    #expect(waiting.count < 16)
    let client = try KithClient(socketPath: path, timeoutSeconds: 10, patienceSeconds: 0)
    defer { client.close() }
    guard case .unreachable = await failure({ () throws(ClientError) in _ = try await ping(client) }) else {
      Issue.record("not told as unreachable")
      return
    }
  }

  @Test func `closing ends the calls under way and takes no more`() async throws {
    try await withClient { daemon, client in
      async let lost = failure { () throws(ClientError) in _ = try await ping(client) }
      let peer = await daemon.accept()
      _ = try await peer.line()
      client.close()
      guard case .connectionLost = await lost else {
        Issue.record("not told as lost")
        return
      }
      #expect(try await peer.line() == nil)
      guard case .unreachable = await failure({ () throws(ClientError) in _ = try await ping(client) }) else {
        Issue.record("taken after closing")
        return
      }
    }
  }
}

extension WireJSON {
  /// The id of a call of the client's, as it is written.
  fileprivate var callID: String? { self["id"]?.integer.map(String.init) }
}
