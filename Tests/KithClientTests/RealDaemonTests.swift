import API
import Accounts
import EventLoop
import FoundationEssentials
import Glibc
import JSONRPC
import KithClient
import TestSupport
import Testing

/// The client with a daemon of this version.
@Suite(.timeLimit(.minutes(4))) struct RealDaemonTests {
  private func signIn(
    _ subject: String, to client: KithClient, requestKey: String? = nil
  ) async throws(ClientError) -> SignInResult {
    try await client.call(
      SignInResolve.self, .init(claims: ClaimsShape(provider: "apple", subject: ExactText(subject))),
      requestKey: requestKey)
  }

  private func withClient(_ body: (KithClient, TestService) async throws -> Void) async throws {
    try await TestService.with { services, _ in
      let client = try KithClient(socketPath: services[0].appPath)
      defer { client.close() }
      try await body(client, services[0])
    }
  }

  @Test func `a person signs in and is found again`() async throws {
    try await withClient { client, _ in
      let first = try await signIn("000001.mira", to: client)
      #expect(first.outcome == .registered)
      let again = try await signIn("000001.mira", to: client)
      #expect(again.outcome == .signedIn)
      let id = try #require(first.user?.id)
      #expect(again.user?.id == id)
      let found = try await client.call(UserGet.self, .init(.id(id), include: [.identities]))
      #expect(found.user.identities?.map(\.subject) == ["000001.mira"])
      let list = try await client.call(IdentityList.self, UserPageParameters(userID: id))
      #expect(list.items.count == 1)
    }
  }

  @Test func `an app follows events, is told again what it did not apply, and hears where to go on`() async throws {
    struct Enough: Error {}
    try await TestService.with { services, database in
      let client = try KithClient(socketPath: services[0].appPath)
      defer { client.close() }
      let ids = [try await signIn("mira", to: client).user?.id, try await signIn("noor", to: client).user?.id]
      for round in 0..<2 {
        var told: [EventShape] = []
        await #expect(throws: Enough.self) {
          try await client.followEvents(as: "app", limit: 1) { events in
            told += events
            if told.count == 2 { throw Enough() }
            if round == 1 { _ = try await signIn("ron", to: client) }
          }
        }
        // The one that was not applied comes again.
        #expect(told.first?.userID == ids[round] && told.count == 2)
      }
      try await database.script(
        "update kith.events set at = now() - interval '91 days'; select kith.drop_events(10);", as: .superuser)
      do {
        try await client.followEvents(as: "app") { _ in throw Enough() }
      } catch ClientError.refused(let refusal) {
        #expect(refusal.reason == .notFound && refusal.cursor == "1.3")
      }
    }
  }

  @Test func `a secret goes in and comes back as bytes, and prints as nothing`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.with(settings) { services, _ in
      let client = try KithClient(socketPath: services[0].appPath)
      defer { client.close() }
      let place = CredentialPlaceMembers(accessGroup: "web", account: "mira", service: "mail")
      let secret = SecretValue(copying: (0...255).map { UInt8($0) })
      let whole = WholeCredentialParameters(place: place, secret: secret, content: .init(label: "Mail"))
      #expect(try await client.call(CredentialAdd.self, whole).credential.secret == nil)
      let found = try await client.call(CredentialGet.self, .init(place: place)).credential
      #expect(found.secret?.revealedBytes == secret.revealedBytes && found.content.label == "Mail")
      for printed in ["\(whole)", "\(found)", String(reflecting: found)] {
        #expect(printed.contains("<redacted>") && !printed.contains("AAEC") && !printed.contains("1, 2, 3"))
      }
      do throws(ClientError) {
        _ = try await client.call(CredentialAdd.self, whole)
        Issue.record("added twice")
      } catch {
        guard case .refused(let refusal) = error else { throw error }
        #expect(refusal.reason == .credentialExists)
      }
      #expect(try await client.call(CredentialDelete.self, .init(place: place)).deleted)
      #expect(
        try await client.call(CredentialHistory.self, .init(place: place)).items.map(\.action) == [.add, .delete])
    }
  }

  /// The app's own step fails and both programs are gone; what Apple told once comes back.
  @Test func `a person whose registration failed half-way is registered at the next sign-in, with the name`()
    async throws
  {
    struct MailServerIsDown: Error {}
    try await DaemonFolder.with { folder, _ in
      var daemon = try await DaemonProcess.start(folder.arguments)
      try await daemon.ready()
      var client = try KithClient(socketPath: folder.app)
      var claims = ClaimsShape(provider: "apple", subject: "000001.mira")
      claims.profile.name = NameShape(given: "Mira", family: "Okafor")
      await #expect(throws: MailServerIsDown.self) {
        try await client.signIn(claims) { held in
          #expect(held.attempts == 0 && held.details?.profile.name?.given == "Mira")
          throw MailServerIsDown()
        }
      }
      client.close()
      try await daemon.endAtOnce()
      daemon = try await DaemonProcess.start(folder.arguments)
      try await daemon.ready()
      client = try KithClient(socketPath: folder.app)
      defer { client.close() }
      claims.profile.name = nil
      let registered = try await client.signIn(claims, include: [.profile]) { held in
        #expect(held.attempts == 1 && held.lastReason == "MailServerIsDown")
        #expect(held.details?.profile.name?.family == "Okafor")
      }
      #expect(registered.outcome == .registered && registered.resumed == true)
      #expect(registered.user?.profile?.name?.given == "Mira")
      let again = try await client.signIn(claims) { _ in Issue.record("somebody known has no step to go through") }
      #expect(again.outcome == .signedIn && again.user?.id == registered.user?.id)
      try await daemon.stop()
    }
  }

  @Test func `one client serves many tasks at once`() async throws {
    try await withClient { client, _ in
      let users = try await withThrowingTaskGroup(of: UserID?.self) { group in
        for number in 0..<1000 {
          group.addTask { try await signIn("person-\(number % 50)", to: client).user?.id }
        }
        return try await group.reduce(into: Set<UserID?>()) { $0.insert($1) }
      }
      #expect(users.count == 50)
      #expect(!users.contains(nil))
    }
  }

  @Test func `a repeat with a key of the caller's own gets the same answer`() async throws {
    try await withClient { client, service in
      let other = try KithClient(socketPath: service.adminPath)
      defer { other.close() }
      let parameters = SignInResolve.Parameters(claims: ClaimsShape(provider: "naver", subject: "n1"))
      let first = try await client.callForJSON(SignInResolve.self, parameters, requestKey: "order-1")
      let again = try await other.callForJSON(SignInResolve.self, parameters, requestKey: "order-1")
      #expect(first == again)
    }
  }

  @Test func `refusals are told by their reason`() async throws {
    try await withClient { client, _ in
      let error = await #expect(throws: ClientError.self) {
        try await client.call(UserGet.self, .init(.email("nobody@example.org")))
      }
      guard case .refused(let refusal) = error else {
        Issue.record("not told as refused")
        return
      }
      #expect(refusal.reason == .notFound)
      #expect(refusal.requestID != nil)
    }
  }

  @Test func `a call that is too long is refused and harms no other`() async throws {
    try await withClient { client, _ in
      let text = ExactText(String(repeating: "x", count: 1 << 20))
      async let pong = client.call(SystemPing.self, EmptyShape())
      let error = await #expect(throws: ClientError.self) {
        try await client.call(UserSearch.self, .init(query: text))
      }
      guard case .refused(let refusal) = error else {
        Issue.record("not told as refused")
        return
      }
      #expect(refusal.reason == .tooLarge)
      let answer = try await pong
      #expect(answer.ok)
    }
  }

  @Test func `clients can share a loop that outlives them`() async throws {
    try await TestService.with { services, _ in
      let loop = try EventLoop()
      try loop.start(name: "shared")
      defer { loop.stop() }
      for path in [services[0].appPath, services[0].adminPath] {
        let client = try KithClient(socketPath: path, on: loop)
        #expect(try await client.call(SystemPing.self, EmptyShape()).ok)
        client.close()
      }
    }
  }

  /// Every person is one user and every call gets its answer, while the daemon is killed and started again.
  @Test func `calls outlive daemons that are killed and daemons that are stopped`() async throws {
    try await DaemonFolder.with { folder, database in
      var daemon = try await DaemonProcess.start(folder.arguments)
      try await daemon.ready()
      let client = try KithClient(socketPath: folder.app, timeoutSeconds: 90, patienceSeconds: 90)
      defer { client.close() }
      let load = Task {
        try await withThrowingTaskGroup(of: Int.self) { group in
          for person in 0..<8 {
            group.addTask {
              var registered = 0
              var count = 0
              while !Task.isCancelled {
                // Not cancelled itself: an answer is due to every call.
                let result = try await Task {
                  [count] in try await signIn("\(person)-\(count / 2)", to: client)
                }.value
                if result.outcome == .registered { registered += 1 }
                count += 1
              }
              return registered
            }
          }
          return try await group.reduce(0, +)
        }
      }
      for round in 0..<4 {
        _ = try await client.call(ServerStatus.self, EmptyShape())
        if round.isMultiple(of: 2) { try await daemon.endAtOnce() } else { try await daemon.stop() }
        daemon = try await DaemonProcess.start(folder.arguments)
        try await daemon.ready()
      }
      load.cancel()
      let registered = try await load.value
      #expect(try await database.count("select count(*)::text from kith.users") == registered)
      try await daemon.stop()
    }
  }
}
