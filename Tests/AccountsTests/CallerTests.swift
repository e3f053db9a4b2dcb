import Accounts
import Testing

struct CallerTests {
  @Test(arguments: [
    ("*", "signin.resolve", true), ("signin.*", "signin.resolve", true), ("signin.*", "signin.", true),
    ("signin.*", "signin", false), ("signin.*", "signing.x", false), ("user.get", "user.get", true),
    ("user.get", "user.get2", false), ("user.get", "User.get", false), ("link.confirm", "lin\u{212A}.confirm", false),
  ])
  func `a method pattern matches`(pattern: String, method: String, isMatch: Bool) throws {
    #expect(try #require(MethodPattern(pattern)).matches(method) == isMatch)
  }

  @Test(arguments: ["", ".*", "signin*", "sig*.x", "*.get", "**", "user.*.*"])
  func `a star anywhere else is no method pattern`(text: String) {
    #expect(MethodPattern(text) == nil)
  }

  @Test(arguments: [
    ("*", "apple:TEAM", true), ("apple:*", "apple:TEAM", true), ("apple:*", "naver:TEAM", false),
    ("apple:TEAM", "apple:TEAM", true), ("apple:TEAM", "apple:team", false), ("apple:TEAM", "apple:TEAM2", false),
  ])
  func `a namespace pattern matches`(pattern: String, namespace: String, isMatch: Bool) throws {
    #expect(try #require(NamespacePattern(pattern)).matches(#require(Namespace(namespace))) == isMatch)
  }

  @Test(arguments: ["", "apple", "google:*", "apple:T*", "*:*", "apple:"])
  func `anything else is no namespace pattern`(text: String) {
    #expect(NamespacePattern(text) == nil)
  }

  @Test(
    arguments: [
      (["web"], "web", true), (["web"], "Web", false), (["web"], "web2", false), ([], "web", false),
      (["*"], "web", true),
      (["*"], "kith.tokens", false), (["*"], "kith.", false), (["*"], "kith", true), (["*"], "kithx", true),
      (["*"], "\u{212A}ith.tokens", true), (["*", "kith.tokens"], "kith.tokens", true),
      (["kith.tokens"], "kith.token", false), (["kith.tokens"], "web", false),
    ] as [([ExactText], ExactText, Bool)])
  func `access groups are allowed by name, and all but Kith's own by a star`(
    entries: [ExactText], group: ExactText, isAllowed: Bool
  ) {
    #expect(AccessGroups(entries).contains(group) == isAllowed)
  }

  @Test(arguments: ["*", "user.*", "user.get"])
  func `a method pattern is written as it was read`(text: String) {
    #expect(MethodPattern(text)?.description == text)
  }

  @Test(arguments: ["*", "apple:*", "naver:demo"])
  func `a namespace pattern is written as it was read`(text: String) {
    #expect(NamespacePattern(text)?.description == text)
  }

  @Test func `a caller's name is printable and short`() {
    #expect(CallerName("web-1") != nil)
    for text in ["", "a b", "a\u{0}", "é", String(repeating: "n", count: 65)] { #expect(CallerName(text) == nil) }
  }

  @Test func `nothing is allowed unless some pattern allows it`() throws {
    let caller = Caller(
      name: try #require(CallerName("web")), methods: [.method("user.get"), .prefix("identity.")],
      namespaces: [.provider(.apple)])
    #expect(caller.allows(method: "user.get"))
    #expect(caller.allows(method: "identity.list"))
    #expect(!caller.allows(method: "user.disable"))
    #expect(caller.allows(namespace: try #require(Namespace("apple:T"))))
    #expect(!caller.allows(namespace: try #require(Namespace("naver:T"))))
    #expect(!Caller(name: caller.name, methods: []).allows(method: "system.ping"))
  }

  @Test func `attack 22, a caller who may not assert cannot say that somebody is verified`() throws {
    let name = try #require(CallerName("web"))
    for pattern in ["*", "signin.*", "signin.resolve"] {
      let methods = [try #require(MethodPattern(pattern))]
      #expect(!Caller(name: name, methods: methods, namespaces: [.any]).allows(method: "signin.resolve"))
      #expect(
        Caller(name: name, methods: methods, namespaces: [.any], mayAssert: true).allows(method: "signin.resolve"))
    }
    #expect(Caller(name: name, methods: [.any]).allows(method: "signin.apple"))
  }
}
