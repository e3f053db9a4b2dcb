import TestSupport
import Testing

/// What the daemon tells of itself.
struct SelfDescriptionTests {
  private static let methods = [
    "audit.list", "audit.verify", "credential.add", "credential.delete", "credential.get", "credential.history",
    "credential.list", "credential.put", "credential.update", "duplicate.list", "email.add", "email.list",
    "email.remove", "email.verify", "event.ack", "event.read", "event.subscribe", "identity.get", "identity.link",
    "identity.list", "identity.unlink", "key.rewrap", "key.status", "link.confirm", "merge.get", "merge.list",
    "merge.plan", "merge.run", "merge.undo",
    "registration.complete", "registration.discard", "registration.fail", "registration.get", "registration.list",
    "rpc.discover", "server.metrics", "server.status", "signin.resolve",
    "system.ping", "user.disable", "user.enable", "user.erase", "user.export", "user.get", "user.search", "user.update",
  ]

  @Test func `every method that is described is served and every description is complete`() async throws {
    try await TestService.withPeer { _, peer in
      let document = try await peer.call("rpc.discover").result
      #expect(document?["openrpc"]?.string?.hasPrefix("1.") == true)
      #expect(document?["info"]?["title"]?.string != nil)
      #expect(document?["info"]?["version"]?.string == "0.0.0-test")
      let methods = document?["methods"]?.elements ?? []
      #expect(methods.compactMap { $0["name"]?.string }.sorted() == Self.methods)
      for method in methods {
        let name = method["name"]?.string ?? "?"
        #expect(method["summary"]?.string != nil, "\(name)")
        #expect(method["params"] != nil && method["result"]?["schema"] != nil, "\(name)")
        for parameter in method["params"]?.elements ?? [] {
          #expect(parameter["name"]?.string != nil && parameter["schema"] != nil, "\(name)")
        }
        let answer = try await peer.call(name, #"{"no_such_parameter":1}"#)
        #expect(answer.reason == "invalid_params", "\(name)")
      }
      if let document { Self.resolveReferences(in: document, of: document) }
    }
  }

  /// Every `$ref` leads to something in the document.
  private static func resolveReferences(in value: WireJSON, of document: WireJSON) {
    if let reference = value["$ref"]?.string {
      let steps = reference.split(separator: "/").dropFirst().map(String.init)
      #expect(reference.hasPrefix("#/"))
      #expect(steps.reduce(document) { $0?[$1] } != nil, "\(reference)")
    }
    for child in value.elements + Array(value.members.values) { resolveReferences(in: child, of: document) }
  }

  @Test func `metrics are the OpenMetrics text format and count what happened`() async throws {
    try await TestService.withPeer { _, peer in
      for _ in 0..<3 { _ = try await peer.call("system.ping") }
      _ = try await peer.call("signin.resolve", "{}")
      let result = try await peer.call("server.metrics").result
      #expect(result?["content_type"]?.string?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)
      let metrics = try OpenMetrics(result?["text"]?.string ?? "")
      #expect(metrics[#"kith_calls_total{method="system.ping",outcome="ok"}"#] == 3)
      #expect(metrics[#"kith_calls_total{method="signin.resolve",outcome="invalid_params"}"#] == 1)
      #expect(metrics[#"kith_call_duration_seconds_count{method="system.ping"}"#] == 3)
      #expect(metrics[#"kith_call_duration_seconds_bucket{method="system.ping",le="+Inf"}"#] == 3)
      #expect(metrics["kith_connections"] == 1)
      #expect(metrics["kith_database_up"] == 1)
    }
  }

  @Test func `without a database the daemon says so at once and answers what needs none`() async throws {
    let service = try await TestService.startWithoutDatabase()
    let peer = try service.connect()
    for (method, params) in [
      ("signin.resolve", #"{"provider":"apple","subject":"s"}"#), ("user.get", #"{"email":"mira@example.org"}"#),
      ("user.disable", #"{"id":"01900000-0000-7000-8000-000000000000","reason":"test"}"#),
    ] {
      let answer = try await peer.call(method, params)
      #expect(answer.reason == "database_unavailable", "\(method)")
      #expect(answer.code == 1005)
      #expect(answer.error?["data"]?["retryable"]?.bool == true)
    }
    let status = try await peer.call("server.status")
    #expect(status.result?["database"]?["state"]?.string == "down")
    let metrics = try await peer.call("server.metrics")
    #expect(metrics.result?["text"]?.string?.contains("\nkith_database_up 0\n") == true)
    peer.close()
    await service.stop()
  }

  @Test func `a database that goes away is told at once`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      let up = try await peer.call("server.status")
      #expect(up.result?["database"]?["state"]?.string == "up")
      #expect(up.result?["schema_version"]?.integer != nil)
      try await database.drop()
      let answer = try await peer.call("signin.resolve", #"{"provider":"apple","subject":"s"}"#)
      #expect(answer.reason == "database_unavailable")
      let down = try await peer.call("server.status")
      #expect(down.result?["database"]?["state"]?.string == "down")
      for text in [answer.text, down.text] {
        #expect(!text.contains(database.name) && !text.contains("/tmp"))
      }
    }
  }
}
