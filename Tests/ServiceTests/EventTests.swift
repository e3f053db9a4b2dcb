import Configuration
import TestSupport
import Testing

/// Events as apps read them, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct EventTests {
  /// What happened, each event in one word.
  private static func words(_ answer: WireAnswer) -> [String] {
    answer.result?["events"]?.elements.map { $0["type"]?.string ?? "?" } ?? []
  }

  private static func read(_ peer: TestPeer, _ more: String = "") async throws -> WireAnswer {
    try await peer.call("event.read", #"{"consumer":"crm"\#(more)}"#)
  }

  private static func acknowledge(_ peer: TestPeer, _ cursor: String?, _ more: String = "") async throws -> WireAnswer {
    try await peer.call("event.ack", #"{"consumer":"crm","cursor":"\#(cursor ?? "")"\#(more)}"#)
  }

  private static func disable(_ peer: TestPeer, _ user: String?) async throws {
    let answer = try await peer.call("user.disable", #"{"id":"\#(user ?? "")","reason":"r"}"#)
    #expect(answer.error == nil)
  }

  private static func enable(_ peer: TestPeer, _ user: String?) async throws {
    let answer = try await peer.call("user.enable", #"{"id":"\#(user ?? "")","reason":"r"}"#)
    #expect(answer.error == nil)
  }

  @Test func `what happened is read in its order, again until it is acknowledged, and then never again`() async throws {
    try await TestService.withPeer { _, peer in
      let mira = try await peer.signIn("apple", "mira").userID
      _ = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      try await Self.disable(peer, mira)
      let expected = ["user.registered", "identity.email_changed", "email.verified", "user.disabled"]
      let first = try await Self.read(peer)
      #expect(Self.words(first) == expected)
      #expect(Self.words(try await Self.read(peer)) == expected)

      let event = first.result?["events"]?[1]
      #expect(event?["user_id"]?.string == mira)
      #expect(event?["caller"]?.string == "tests")
      #expect(event?["data"]?["email"]?.string == "mira@example.org")
      #expect(first.result?["cursor"] == first.result?["events"]?[3]?["cursor"])

      #expect(Self.words(try await Self.read(peer, #","limit":2"#)) == Array(expected[..<2]))
      let acknowledged = try await Self.acknowledge(peer, event?["cursor"]?.string)
      #expect(acknowledged.result?["cursor"] == event?["cursor"])
      #expect(Self.words(try await Self.read(peer)) == Array(expected[2...]))
      // An earlier cursor than before changes nothing.
      let older = try await Self.acknowledge(peer, first.result?["events"]?[0]?["cursor"]?.string)
      #expect(older.result?["cursor"] == event?["cursor"])
      #expect(Self.words(try await Self.read(peer)) == Array(expected[2...]))
      // One that is told may be read from without being acknowledged.
      let cursor = first.result?["events"]?[2]?["cursor"]?.string ?? ""
      #expect(Self.words(try await Self.read(peer, #","cursor":"\#(cursor)""#)) == ["user.disabled"])
      _ = try await Self.acknowledge(peer, first.result?["cursor"]?.string)
      let empty = try await Self.read(peer)
      #expect(Self.words(empty) == [] && empty.result?["cursor"] == first.result?["cursor"])
    }
  }

  @Test func `a cursor that is none is refused, and so is an unknown consumer`() async throws {
    try await TestService.withPeer { _, peer in
      _ = try await peer.signIn("apple", "mira")
      _ = try await Self.read(peer)
      for cursor in ["x", "1", "1.", ".1", "1.-1", "01.1", "1.99", "2.1", "1.1 ", "99999999999.1"] {
        let refused = try await Self.acknowledge(peer, cursor)
        #expect(refused.reason == "invalid_params" && refused.path == "params.cursor", "\(cursor)")
        let unread = try await Self.read(peer, #","cursor":"\#(cursor)""#)
        #expect(unread.reason == "invalid_params" && unread.path == "params.cursor", "\(cursor)")
      }
      #expect(try await peer.call("event.ack", #"{"consumer":"nobody","cursor":"1.1"}"#).reason == "not_found")
      for name in ["", "a\\nb", String(repeating: "x", count: 65)] {
        let refused = try await peer.call("event.read", #"{"consumer":"\#(name)"}"#)
        #expect(refused.reason == "invalid_params" && refused.path == "params.consumer", "\(name)")
      }
      #expect(try await Self.read(peer, #","wait_ms":60001"#).path == "params.wait_ms")
    }
  }

  @Test func `a consumer begins where it is told to, belongs to its caller, and cannot be made without end`()
    async throws
  {
    var settings = TestService.Settings()
    settings.callers = [
      TestService.caller("web", more: #", socket: "app""#), TestService.caller("ops", more: #", socket: "admin""#),
    ]
    try await TestService.with(settings) { services, database in
      let (web, ops) = (try services[0].connect(), try services[0].connect(to: .admin))
      defer {
        web.close()
        ops.close()
      }
      let mira = try await web.signIn("apple", "mira").userID
      #expect(Self.words(try await Self.read(web, #","from":"now""#)) == [])
      try await Self.disable(ops, mira)
      #expect(Self.words(try await Self.read(web, #","from":"oldest""#)) == ["user.disabled"])
      // Another caller's consumer of the same name is another.
      let all = try await Self.read(ops)
      #expect(Self.words(all) == ["user.registered", "user.disabled"])
      _ = try await Self.acknowledge(ops, all.result?["cursor"]?.string)
      #expect(Self.words(try await Self.read(web)) == ["user.disabled"])
      // Whoever names none leaves none behind.
      #expect(Self.words(try await web.call("event.read")) == ["user.registered", "user.disabled"])
      #expect(Self.words(try await web.call("event.read", #"{"from":"now"}"#)) == [])
      #expect(try await database.count("select count(*)::text from kith.consumers") == 2)
      for number in 1..<100 { _ = try await web.call("event.read", #"{"consumer":"c\#(number)"}"#) }
      #expect(try await web.call("event.read", #"{"consumer":"one more"}"#).reason == "too_many")
      #expect(try await Self.read(web).error == nil)
      #expect(try await database.count("select count(*)::text from kith.consumers where caller = 'web'") == 100)
    }
  }

  @Test func `who waits is told at once, of another daemon's changes too, and of nothing when the time is over`()
    async throws
  {
    var settings = TestService.Settings()
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, _ in
      let writers = [try services[0].connect(), try services[0].connect(), try services[1].connect()]
      let readers = [try services[0].connect(), try services[0].connect(), try services[1].connect()]
      defer { for peer in writers + readers { peer.close() } }
      let empty = try await Self.read(readers[0], #","wait_ms":30"#)
      #expect(Self.words(empty) == [] && empty.error == nil)
      for (number, writer) in writers.enumerated() {
        for (place, reader) in readers.enumerated() {
          reader.send(
            TestPeer.call("event.read", #"{"consumer":"r\#(place)","wait_ms":60000}"#, id: "\(number)"))
          await reader.handedOver()
        }
        let user = try await writer.signIn("apple", "person\(number)").userID
        for (place, reader) in readers.enumerated() {
          let told = try await reader.answer()
          #expect(Self.words(told) == ["user.registered"], "\(number) \(place)")
          #expect(told.result?["events"]?[0]?["user_id"]?.string == user)
          let cursor = told.result?["cursor"]?.string ?? ""
          #expect(
            try await reader.call("event.ack", #"{"consumer":"r\#(place)","cursor":"\#(cursor)"}"#).error == nil)
        }
      }
    }
  }

  @Test func `an acknowledgement with a request key is answered the same again`() async throws {
    try await TestService.withPeer { _, peer in
      _ = try await peer.signIn("apple", "mira")
      let cursor = try await Self.read(peer).result?["cursor"]?.string
      let first = try await Self.acknowledge(peer, cursor, #","request_key":"k""#)
      #expect(first.error == nil)
      #expect(try await Self.acknowledge(peer, cursor, #","request_key":"k""#).result == first.result)
      #expect(try await Self.acknowledge(peer, "1.0", #","request_key":"k""#).reason == "request_key_reused")
      #expect(Self.words(try await Self.read(peer)) == [])
      #expect(
        try await peer.call("event.ack", #"{"consumer":"no","cursor":"1.0","request_key":"l"}"#).reason == "not_found")
    }
  }

  @Test func `the metrics tell how far each consumer is behind`() async throws {
    try await TestService.withPeer { _, peer in
      for number in 0..<3 { _ = try await peer.signIn("apple", "p\(number)") }
      _ = try await peer.call("event.read", #"{"consumer":"a \"b\\"}"#)
      _ = try await Self.acknowledge(peer, try await Self.read(peer, #","limit":1"#).result?["cursor"]?.string)
      // The figures are those of the scrape before.
      while true {
        let metrics = try OpenMetrics(try await peer.call("server.metrics").result?["text"]?.string ?? "")
        guard metrics[#"kith_event_consumer_behind{caller="tests",consumer="crm"}"#] != nil else { continue }
        #expect(metrics[#"kith_event_consumer_behind{caller="tests",consumer="crm"}"#] == 2)
        #expect(metrics[#"kith_event_consumer_behind{caller="tests",consumer="a \"b\\"}"#] == 3)
        break
      }
    }
  }

  // MARK: Subscriptions

  /// The next notification.
  private static func pushed(_ peer: TestPeer) async throws -> WireJSON? {
    let message = try await peer.answer().json
    #expect(message["method"]?.string == "event" && message["id"] == nil)
    return message["params"]
  }

  @Test func `a subscriber is pushed what happens until it goes, and what it did not acknowledge again`() async throws {
    try await TestService.with(count: 2) { services, _ in
      let peer = try services[0].connect()
      let other = try services[1].connect()
      defer {
        peer.close()
        other.close()
      }
      let mira = try await other.signIn("apple", "mira").userID
      let begun = try await peer.call("event.subscribe", #"{"consumer":"crm"}"#)
      #expect(begun.result?["cursor"]?.string == "1.0")
      let registered = try await Self.pushed(peer)
      #expect(registered?["type"]?.string == "user.registered")
      #expect(try await Self.acknowledge(peer, registered?["cursor"]?.string).error == nil)
      #expect(try await peer.call("event.subscribe", #"{"consumer":"crm"}"#).reason == "too_many")
      try await Self.disable(other, mira)
      #expect(try await Self.pushed(peer)?["type"]?.string == "user.disabled")
      try await Self.enable(other, mira)
      #expect(try await Self.pushed(peer)?["type"]?.string == "user.enabled")
      // A second one gets everything as well, from what was acknowledged on.
      let second = try services[1].connect()
      defer { second.close() }
      _ = try await second.call("event.subscribe", #"{"consumer":"crm"}"#)
      #expect(try await Self.pushed(second)?["type"]?.string == "user.disabled")
      #expect(try await Self.pushed(second)?["type"]?.string == "user.enabled")
    }
  }

  @Test func `a subscriber who reads slowly is waited for and misses nothing`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      // Some three megabytes, far more than a socket holds.
      try await database.script(
        """
        insert into kith.events (id, type, at, data)
        select gen_random_uuid(), 'registration.expired', now(), json_build_object('n', n, 'x', repeat('x', 100))
        from generate_series(1, 9000) n
        """, as: .superuser)
      #expect(try await peer.call("event.subscribe", #"{"consumer":"crm"}"#).error == nil)
      peer.pauseReading()
      let other = try services[0].connect()
      defer { other.close() }
      // Whoever does not read is nothing to others.
      for number in 0..<20 { #expect(try await other.signIn("apple", "p\(number)").outcome == "registered") }
      peer.resumeReading()
      let events = try await peer.answers(9020)
      #expect(events[..<9000].map { $0.json["params"]?["data"]?["n"]?.integer ?? 0 } == Array(1...9000))
      #expect(events[9000...].allSatisfy { $0.json["params"]?["type"]?.string == "user.registered" })
    }
  }

  @Test func `a subscription ends when the caller may not have it any more`() async throws {
    try await TestService.with { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await peer.call("event.subscribe", #"{"consumer":"crm"}"#)
      try await services[0].reload(
        TestService.Settings(callers: [TestService.caller(methods: #"["signin.*"]"#)]))
      let other = try services[0].connect()
      defer { other.close() }
      _ = try await other.signIn("apple", "mira")
      #expect(try await peer.untilEnd().map(\.reason) == ["method_forbidden"])
    }
  }

  @Test func `who waits or is subscribed does not keep the daemon from stopping`() async throws {
    try await TestService.with { services, _ in
      let peers = try (0..<3).map { _ in try services[0].connect() }
      defer { for peer in peers { peer.close() } }
      _ = try await peers[0].call("event.subscribe", #"{"consumer":"a"}"#)
      for peer in peers { peer.send(TestPeer.call("event.read", #"{"consumer":"b","wait_ms":60000}"#, id: "9")) }
      for peer in peers { _ = try await Self.alive(peer) }
      let began = ContinuousClock.now
      await services[0].stop()
      #expect(ContinuousClock.now - began < .seconds(5))
      for peer in peers {
        let rest = try await peer.untilEnd()
        #expect(rest.map { $0.result?["events"]?.elements.count } == [0])
      }
    }
  }

  /// A call that is answered shows that those before it are under way.
  private static func alive(_ peer: TestPeer) async throws -> WireAnswer {
    peer.send(TestPeer.call("system.ping", id: "1"))
    return try await peer.answer()
  }

  @Test func `who goes away while waiting is forgotten at once`() async throws {
    try await TestService.withPeer { service, peer in
      for _ in 0..<20 {
        let waiting = try service.connect()
        waiting.send(TestPeer.call("event.read", #"{"consumer":"a","wait_ms":60000}"#, id: "9"))
        _ = try await Self.alive(waiting)
        waiting.close()
      }
      // Each look is a turn of the daemon's; without an end the test would run into its limit.
      while true {
        let text = try await peer.call("server.metrics").result?["text"]?.string ?? ""
        if try OpenMetrics(text)["kith_connections"] == 1 { break }
      }
    }
  }

  // MARK: What is not kept

  @Test func `a consumer that fell behind is told, and how to go on`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      _ = try await Self.read(peer)
      for number in 1...5 { _ = try await peer.signIn("apple", "p\(number)") }
      #expect(Self.words(try await Self.read(peer)).count == 5)
      try await database.script(
        """
        update kith.events set at = now() - interval '91 days' where place <= 3;
        select kith.drop_events(100);
        """, as: .superuser)
      for method in ["event.read", "event.subscribe"] {
        // The daemon need not have looked since.
        let refused = try await peer.call(method, #"{"consumer":"crm","from":"oldest"}"#)
        if method == "event.subscribe", refused.result != nil {
          let pushed = try await peer.answer()
          #expect(pushed.reason == "not_found")
          continue
        }
        #expect(refused.reason == "not_found")
        #expect(refused.error?["data"]?["cursor"]?.string == "1.3")
      }
      let other = try services[0].connect()
      defer { other.close() }
      _ = try await Self.acknowledge(other, "1.3")
      #expect(Self.words(try await Self.read(other)).count == 2)
    }
  }

  @Test func `after a restore into another cluster nothing is lost and former cursors are refused`() async throws {
    try await TestService.with(count: 2) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let mira = try await peer.signIn("apple", "mira").userID
      let before = try await Self.read(peer)
      try await Self.disable(peer, mira)
      // As a dump leaves it: numbers of another cluster, far ahead of this one's, and one event without a place.
      try await database.script(
        """
        update kith.events set xid = (xid::text::int8 + 1000000000000)::text::xid8;
        update kith.event_log set cluster = 'another', done_xid = '1000000000000';
        """, as: .superuser)
      let service = try await TestService.start(on: database)
      let restored = try service.connect()
      defer { restored.close() }
      try await Self.enable(restored, mira)
      #expect(Self.words(try await Self.read(restored)) == ["user.registered", "user.disabled", "user.enabled"])
      let refused = try await Self.acknowledge(restored, before.result?["cursor"]?.string)
      #expect(refused.reason == "invalid_params" && refused.path == "params.cursor")
      let again = try await Self.read(restored)
      #expect(try await Self.acknowledge(restored, again.result?["cursor"]?.string).error == nil)
      #expect(Self.words(try await Self.read(restored)) == [])
      await service.stop()
    }
  }

  @Test func `while the database is away readers are told, and subscribers wait`() async throws {
    let service = try await TestService.startWithoutDatabase()
    let peer = try service.connect()
    for method in ["event.read", "event.subscribe"] {
      #expect(try await peer.call(method, #"{"consumer":"crm"}"#).reason == "database_unavailable")
    }
    #expect(try await peer.call("event.ack", #"{"consumer":"crm","cursor":"1.1"}"#).reason == "database_unavailable")
    #expect(try await peer.call("audit.list").reason == "database_unavailable")
    #expect(try await peer.call("audit.verify").reason == "database_unavailable")
    peer.close()
    await service.stop()
  }
}
