import Accounts
import Glibc
import TestSupport
import Testing

/// Who may call what.
struct CallerTests {
  private static let someoneElse: UInt32 = 65_534
  private let signIn = #"{"provider":"apple","subject":"s"}"#

  @Test func `what does not exist is not found and what may not be called is forbidden`() async throws {
    let callers = [TestService.caller(methods: #"["signin.*", "user.get"]"#)]
    try await TestService.withPeer(.init(callers: callers)) { _, peer in
      for (method, reason, code) in [
        ("user.disable", "method_forbidden", 1003), ("server.status", "method_forbidden", 1003),
        ("user.nothing", "method_not_found", -32601), ("signin", "method_not_found", -32601),
        ("SIGNIN.RESOLVE", "method_not_found", -32601), ("signin.resolve ", "method_not_found", -32601),
        ("rpc.nothing", "method_not_found", -32601), ("", "method_not_found", -32601),
      ] {
        let answer = try await peer.call(method)
        #expect(answer.reason == reason, "\(method)")
        #expect(answer.code == code)
      }
      let allowed = try await peer.call("signin.resolve", signIn)
      #expect(allowed.outcome == "registered")
    }
  }

  @Test func `a challenge lives as long as the configuration of the moment says`() async throws {
    var settings = TestService.Settings()
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.signIn("apple", "owner", "mira@example.org", verified: true)
      for (number, minutes) in [15, 60].enumerated() {
        settings.defaults = "{ challenge_minutes: \(minutes) }"
        try await services[0].reload(settings)
        let answer = try await peer.signIn("naver", "claimant-\(number)", "mira@example.org")
        #expect(answer.outcome == "link_required")
        let lives = try await database.texts(
          "select extract(epoch from expires_at - created_at)::int::text from kith.challenges order by id desc limit 1")
        #expect(lives == ["\(minutes * 60)"])
      }
    }
  }

  @Test func `whose uid nobody knows is told so once and closed`() async throws {
    let callers = [TestService.caller(uid: geteuid() + 1)]
    try await TestService.with(.init(callers: callers)) { services, _ in
      for first in [TestPeer.call("system.ping", id: "1"), "[\(TestPeer.call("system.ping", id: "1"))]", "{"] {
        let peer = try services[0].connect()
        defer { peer.close() }
        peer.send(first)
        peer.send(TestPeer.call("system.ping", id: "2"))
        let lines = try await peer.untilEnd()
        #expect(lines.count == 1)
        let answer = lines.first.map { $0.json[0].map { WireAnswer($0) } ?? $0 }
        #expect(answer?.reason == "caller_unknown")
        #expect(answer?.code == 1003)
      }
    }
  }

  @Test(.enabled(if: TestPeer.canBeSomebodyElse, Comment(rawValue: TestPeer.rootAbsence)))
  func `another user is known by what the kernel says and not by what it claims`() async throws {
    let callers = [
      TestService.caller(), #"{ name: "group", group: 4242, socket: "app", methods: ["*"] }"#,
    ]
    try await TestService.with(.init(callers: callers)) { services, _ in
      let stranger = try TestPeer.connect(path: services[0].appPath, asUID: Self.someoneElse)
      let refused = try await stranger.call("system.ping")
      #expect(refused.reason == "caller_unknown")
      #expect(try await stranger.untilEnd().isEmpty)
      stranger.close()
      for (path, isKnown) in [(services[0].appPath, true), (services[0].adminPath, false)] {
        let member = try TestPeer.connect(path: path, asUID: Self.someoneElse, group: 4242)
        let answer = try await member.call("system.ping")
        #expect((answer.result != nil) == isKnown)
        member.close()
      }
    }
  }

  @Test func `a namespace that a caller may not use is unknown to it`() async throws {
    let callers = [TestService.caller(more: #", namespaces: ["apple:*", "naver:nv-client"]"#)]
    try await TestService.withPeer(.init(callers: callers)) { _, peer in
      for (provider, isKnown) in [("apple", true), ("naver", true), ("linkedin", false), ("password", false)] {
        let claims = #""provider":"\#(provider)","subject":"s""#
        for (method, params) in [("signin.resolve", "{\(claims)}"), ("user.get", "{\(claims)}")] {
          let answer = try await peer.call(method, params)
          #expect((answer.reason == "namespace_unknown") == !isKnown, "\(method) \(provider)")
        }
      }
    }
  }

  @Test func `whoever may not assert may not resolve whatever its methods say`() async throws {
    try await TestService.withPeer(.init(callers: [TestService.caller(mayAssert: false)])) { _, peer in
      let answer = try await peer.call("signin.resolve", signIn)
      #expect(answer.reason == "method_forbidden")
    }
  }

  @Test func `what a caller may do depends on the socket as well`() async throws {
    let callers = [
      TestService.caller("app", methods: #"["signin.*"]"#, more: #", socket: "app""#),
      TestService.caller("ops", more: #", socket: "admin""#),
    ]
    try await TestService.with(.init(callers: callers)) { services, database in
      let app = try services[0].connect(to: .app)
      defer { app.close() }
      let admin = try services[0].connect(to: .admin)
      defer { admin.close() }
      let forbidden = try await app.call("server.status")
      #expect(forbidden.reason == "method_forbidden")
      let allowed = try await admin.call("server.status")
      #expect(allowed.result != nil)
      let signedIn = try await app.call("signin.resolve", signIn)
      #expect(signedIn.outcome == "registered")
      #expect(try await database.texts("select caller from kith.events") == ["app"])
    }
  }

  @Test func `a configuration that is read again holds for open connections too`() async throws {
    try await TestService.withPeer { service, peer in
      let before = try await peer.call("server.status")
      #expect(before.result != nil)
      var settings = TestService.Settings(callers: [TestService.caller(methods: #"["system.ping"]"#)])
      settings.limits = "frame_bytes: 4096, nesting: 8"
      try await service.reload(settings)
      let forbidden = try await peer.call("server.status")
      #expect(forbidden.reason == "method_forbidden")
      let deep = try await peer.call("system.ping", #"{"a":[[[[[[[]]]]]]]}"#)
      #expect(deep.limit == "nesting")
      peer.send(String(repeating: " ", count: 5000))
      let long = try await peer.answer()
      #expect(long.limit == "frame_bytes")
      #expect(long.error?["data"]?["max"]?.integer == 4096)

      let other = try service.connect()
      defer { other.close() }
      let known = try await other.call("system.ping")
      #expect(known.result != nil)
      try await service.reload(.init(callers: [TestService.caller(uid: geteuid() + 1)]))
      let unknown = try await other.call("system.ping")
      #expect(unknown.reason == "caller_unknown")
      #expect(try await other.untilEnd().isEmpty)
    }
  }
}
