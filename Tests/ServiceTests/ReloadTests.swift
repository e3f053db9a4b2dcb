import TestSupport
import Testing

/// What a new configuration changes while the daemon runs.
@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
  @Test func `a configuration that the database holds up does not come after a newer one`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      #expect(try await peer.call("system.ping").result != nil)
      // Its namespace is new, and somebody else is about to enter the same one: entering it waits for them.
      let entering = "insert into kith.namespaces (provider, tenant) values ('apple', 'TEAM000009')"
      let older = try await database.holding(entering) {
        var settings = TestService.Settings(callers: [TestService.caller(methods: #"["*"]"#)])
        settings.namespaces.append(#"{ provider: "apple", tenant: "TEAM000009" }"#)
        let older = Task { [settings] in try await services[0].reload(settings) }
        while try await database.count(
          """
          select count(*)::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          """) == 0
        {}
        try await services[0].reload(.init(callers: [TestService.caller(methods: #"["system.ping"]"#)]))
        return older
      }
      try await older.value
      #expect(try await peer.call("server.status").reason == "method_forbidden")
    }
  }
}
