import KithClient
import TestSupport
import Testing

/// What docs/api.md shows of the library: nothing of Kith is imported here but `KithClient`.
@Suite(.timeLimit(.minutes(5))) struct OneImportTests {
  @Test func `importing the client alone is enough to call`() async throws {
    try await TestService.with { services, _ in
      let kith = try KithClient(socketPath: services[0].appPath)
      defer { kith.close() }
      var claims = ClaimsShape(provider: "apple", subject: "001482.7b1c.0417")
      claims.email = "mira@example.org"
      claims.emailVerified = true
      let answer = try await kith.call(SignInResolve.self, .init(claims: claims))
      #expect(answer.outcome == .registered)
      let id: UserID = try #require(answer.user?.id)
      let found = try await kith.call(UserGet.self, .init(.id(id), include: [.emails]))
      #expect(found.user.emails?.first?.email == "mira@example.org")
      var told = ClaimsShape(provider: "apple", subject: "001207.5e8a.0806")
      told.profile.name = NameShape(given: "Noor", family: "Haddad")
      let new = try await kith.signIn(told) { held in #expect(held.details?.profile.name?.given == "Noor") }
      #expect(new.outcome == .registered)
      do throws(ClientError) {
        _ = try await kith.call(UserGet.self, .init(.email("nobody@example.org")))
        Issue.record("nobody was found")
      } catch {
        guard case .refused(let refusal) = error else { throw error }
        #expect(refusal.reason == .notFound)
      }
    }
  }
}
