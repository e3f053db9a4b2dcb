import Accounts
import Testing

struct UserSearchFormTests {
  private func id(_ text: String) throws -> UserID { try #require(UserID(text)) }

  @Test func `the beginning of an id is a range of ids`() throws {
    let expected = try id("0192ab00-0000-0000-0000-000000000000")...id("0192abff-ffff-ffff-ffff-ffffffffffff")
    for text in ["0192ab", "0192AB", " 0192ab\n"] {
      #expect(UserSearchForm.forms(of: text).contains(.idPrefix(expected)))
    }
    let whole = try id("0192abcd-0000-7000-8000-000000000001")
    #expect(UserSearchForm.forms(of: whole.description).contains(.idPrefix(whole...whole)))
    let hyphen = try id("0192abcd-0000-0000-0000-000000000000")...id("0192abcd-ffff-ffff-ffff-ffffffffffff")
    #expect(UserSearchForm.forms(of: "0192abcd-").contains(.idPrefix(hyphen)))
  }

  @Test(arguments: ["019", "01-92", "0192-", "0192g", "----", "0192abcd-0000-7000-8000-0000000000011"])
  func `what begins no id, or too many, is no beginning of an id`(text: String) {
    for form in UserSearchForm.forms(of: text) {
      if case .idPrefix = form { Issue.record("\(text) was taken for the beginning of an id") }
    }
  }

  @Test func `an address is looked for in its canonical form, and a domain needs a dot or an @`() {
    #expect(UserSearchForm.forms(of: " Mira@Example.ORG ").contains(.address("mira@example.org")))
    for text in ["Example.org", "@EXAMPLE.org"] {
      #expect(UserSearchForm.forms(of: text).contains(.domain("example.org")))
    }
    #expect(UserSearchForm.forms(of: "@B\u{FC}cher.example").contains(.domain("xn--bcher-kva.example")))
    #expect(UserSearchForm.forms(of: "@localhost").contains(.domain("localhost")))
    #expect(!UserSearchForm.forms(of: "localhost").contains(.domain("localhost")))
    #expect(!UserSearchForm.forms(of: "mira@example.org").contains(.domain("mira@example.org")))
  }

  @Test func `a subject is taken to the byte and a name folded`() throws {
    let forms = UserSearchForm.forms(of: " Zo\u{EB}")
    #expect(forms.contains(.subject(try #require(Subject(" Zo\u{EB}")))))
    #expect(forms.contains(.name(try #require(SearchText("zoe\u{308}")))))
  }

  @Test func `what cannot be anything has no form`() {
    #expect(UserSearchForm.forms(of: "").isEmpty)
    #expect(UserSearchForm.forms(of: "a\0").isEmpty)
    #expect(UserSearchForm.forms(of: String(repeating: "a", count: 2000)).isEmpty)
  }
}
