import Accounts
import Terminal
import Testing

@testable import kith

@Suite struct UserReferenceTests {
  @Test func `a whole id is an id`() throws {
    let id = try #require(UserID("0192f3a0-7c1e-7000-8000-000000000001"))
    #expect(try UserReference("0192f3a0-7c1e-7000-8000-000000000001") == .id(id))
    #expect(try UserReference("0192F3A0-7C1E-7000-8000-000000000001") == .id(id))
  }

  @Test(arguments: [("0192", "0192"), ("0192F3A0-7c", "0192f3a0-7c")])
  func `the beginning of an id is one`(_ text: String, _ prefix: String) throws {
    #expect(try UserReference(text) == .idPrefix(prefix))
  }

  @Test func `an address is kept as it was written`() throws {
    #expect(try UserReference("Mira@Example.org") == .email("Mira@Example.org"))
  }

  @Test(arguments: [
    ("apple:000768.abc.1521", Provider.apple, "000768.abc.1521"), ("naver:a:b", .naver, "a:b"),
    ("password:mira@example.org", .password, "mira@example.org"), ("linkedin:-x", .linkedin, "-x"),
  ])
  func `a provider's name and a colon begin a subject`(
    _ text: String, _ provider: Provider, _ subject: String
  ) throws {
    #expect(try UserReference(text) == .identity(provider, tenant: nil, try #require(Subject(subject))))
  }

  @Test func `a tenant stands beside the subject and belongs to nothing else`() throws {
    let subject = try #require(Subject("TEAM000001:x"))
    let reference = try UserReference("apple:TEAM000001:x", tenant: "TEAM000002")
    #expect(reference == .identity(.apple, tenant: "TEAM000002", subject))
    for text in ["0192f3a0-7c1e-7000-8000-000000000001", "0192", "mira@example.org", "mira"] {
      let failure = #expect(throws: CommandFailure.self) { try UserReference(text, tenant: "TEAM000001") }
      #expect(failure?.exitCode == .usage)
    }
  }

  @Test(arguments: ["@", "a@", "@example.org", "a@b@c", "a b@example.org", "a@exa_mple.org", "Mira <m@example.org>"])
  func `what has an @ and is no address is a wrong command line`(_ text: String) {
    let failure = #expect(throws: CommandFailure.self) { try UserReference(text) }
    #expect(failure?.exitCode == .usage)
    #expect(failure?.message == "\"\(text)\" is no e-mail address")
  }

  @Test(arguments: [
    "", "019", "mira", "google:1", "apple:", "Apple:1", ":1", "0192f3a0-7c1e-7000-8000-0000000000011", "０１９２",
  ])
  func `anything else names nobody`(_ text: String) {
    let failure = #expect(throws: CommandFailure.self) { try UserReference(text) }
    #expect(failure?.exitCode == .usage)
  }
}
