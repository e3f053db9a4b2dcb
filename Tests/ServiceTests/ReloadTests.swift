import TestSupport
import Testing

/// What a new configuration changes while the daemon runs.
@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
  @Test func `a configuration that the database holds up does not come after a newer one`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      #expect(try await peer.call("system.ping").result != nil)
      let (older, newer) = try await database.holding("lock table kith.namespaces in share mode") {
        // Its namespace is new, and writing it down waits for the lock.
        var settings = TestService.Settings(callers: [TestService.caller(methods: #"["*"]"#)])
        settings.namespaces.append(#"{ provider: "apple", tenant: "TEAM000009" }"#)
        let older = Task { [settings] in try await services[0].reload(settings) }
        while try await database.count(
          "select count(*)::text from pg_locks where not granted and relation = 'kith.namespaces'::regclass") == 0
        {}
        let newer = Task {
          try await services[0].reload(.init(callers: [TestService.caller(methods: #"["system.ping"]"#)]))
        }
        return (older, newer)
      }
      try await newer.value
      // The database may have given the wait up, and then nothing comes of it.
      _ = try? await older.value
      #expect(try await peer.call("server.status").reason == "method_forbidden")
    }
  }
}
