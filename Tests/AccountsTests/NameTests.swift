import Accounts
import Testing

/// Ids, namespaces and subjects: what things are called by.
struct NameTests {
  @Test func `a user's id carries when the user was made`() {
    let made = Timestamp(microseconds: 1_796_000_000_123_000)
    let user = UserID(version7At: made, random: (1, 2))
    #expect(user.createdAt == made)
    #expect(UserID(user.description) == user)
    #expect(UserID("mira") == nil)
  }

  @Test func `ids of one kind sort by time`() {
    let ids = (1...50).map { EventID(version7At: Timestamp(microseconds: $0 * 1000), random: (9, 9)) }
    #expect(ids.reversed().sorted() == ids)
  }

  @Test(arguments: ["apple:ABCDE12345", "naver:a:b", "password:default", "linkedin:*"])
  func `a namespace is read as it is written`(text: String) throws {
    #expect(try #require(Namespace(text)).description == text)
  }

  @Test(arguments: ["", "apple", "apple:", ":x", "Apple:x", "google:x", " apple:x", "\u{FF41}pple:x"])
  func `anything else is no namespace`(text: String) {
    #expect(Namespace(text) == nil)
  }

  @Test func `a tenant has a longest form`() {
    #expect(Namespace(.apple, tenant: ExactText(String(repeating: "t", count: 255))) != nil)
    #expect(Namespace(.apple, tenant: ExactText(String(repeating: "t", count: 256))) == nil)
  }

  @Test func `a subject has 1 to 255 bytes of anything`() throws {
    #expect(Subject("") == nil)
    #expect(Subject(String(repeating: "é", count: 127)) != nil)
    #expect(Subject(String(repeating: "é", count: 128)) == nil)
    #expect(try #require(Subject("-Ab_1")) != #require(Subject("-ab_1")))
    #expect(try #require(Subject("\u{212A}")) != #require(Subject("K")))
  }

  @Test func `providers that verify addresses are trusted unless told otherwise`() throws {
    let trusted = try Provider.allCases.filter { provider in
      NamespaceSettings(try #require(Namespace(provider, tenant: "t"))).trustsEmail
    }
    #expect(trusted == [.apple, .linkedin])
    let naver = try #require(Namespace("naver:t"))
    #expect(NamespaceSettings(naver, trustsEmail: true).trustsEmail)
  }
}
