import API
import Accounts
import JSON
import JSONRPC
import TestSupport
import Testing

struct MethodParametersTests {
  @Test func `every method has an example`() {
    #expect(MethodExample.all.map(\.name) == MethodRegistry.all.map { "\($0.name)" })
  }

  @Test(arguments: MethodExample.all)
  func `a method takes its examples and writes them again`(example: MethodExample) throws {
    for params in [example.minimal] + example.full {
      #expect(example.refusal(of: params) == nil)
      #expect(try canonical(try example.again(params)) == (try canonical(params)))
    }
  }

  @Test(arguments: MethodExample.all)
  func `a method needs each of its required parameters`(example: MethodExample) throws {
    guard case .object(let members) = JSONTree(example.minimal) else { return }
    for member in members {
      let error = try #require(example.refusal(of: JSONTree(example.minimal).without(member.name).text))
      #expect(error.reason == .invalidParams && error.path?.hasPrefix("params") == true)
    }
    #expect((example.refusal(of: nil) == nil) == members.isEmpty)
  }

  @Test(arguments: MethodExample.all)
  func `a parameter of a wrong type is refused with its path`(example: MethodExample) throws {
    for params in [example.minimal] + example.full {
      let tree = JSONTree(params)
      for (path, value) in tree.places {
        let error = try #require(example.refusal(of: tree.with(value.wrong, at: path).text), "\(path)")
        #expect(error.reason == .invalidParams)
        #expect(error.path == "params.\(path)")
        #expect(error.details.contains(.problem(.wrongType)), "\(path)")
      }
    }
  }

  @Test(arguments: MethodExample.all)
  func `null and the empty string are refused with their path`(example: MethodExample) throws {
    for params in [example.minimal] + example.full {
      let tree = JSONTree(params)
      for (path, _) in tree.places {
        for nothing in ["null", "\"\""] {
          let error = try #require(example.refusal(of: tree.with(.scalar(nothing), at: path).text), "\(path)")
          #expect(error.reason == .invalidParams)
          #expect(error.path == "params.\(path)")
        }
      }
    }
  }

  @Test(arguments: MethodExample.all)
  func `an unknown parameter is refused by name`(example: MethodExample) throws {
    for params in [example.minimal] + example.full {
      let tree = JSONTree(params)
      let error = try #require(example.refusal(of: tree.adding("regster", "\"never\"").text))
      #expect(error.reason == .invalidParams && error.path == "params.regster")
      #expect(error.message == "params.regster is not known here.")
      for (path, value) in tree.places where !JSONTree.isFree(path) {
        guard case .object = value else { continue }
        let error = try #require(example.refusal(of: tree.with(value.adding("x", "1"), at: path).text))
        #expect(error.path == "params.\(path).x")
      }
    }
  }

  @Test(arguments: MethodExample.all)
  func `a misspelt parameter is named rather than the one that is missing for it`(example: MethodExample) throws {
    guard case .object(let members) = JSONTree(example.minimal) else { return }
    for member in members {
      let misspelt = JSONTree(example.minimal).without(member.name).adding(member.name + "x", "1")
      let error = try #require(example.refusal(of: misspelt.text))
      #expect(error.path == "params.\(member.name)x")
    }
  }

  @Test(arguments: MethodExample.all)
  func `positional parameters are refused`(example: MethodExample) throws {
    for params in ["[]", "[1]", "[\(example.minimal)]"] {
      let error = try #require(example.refusal(of: params))
      #expect(error.reason == .invalidParams && error.path == "params")
    }
  }

  @Test(arguments: MethodExample.all)
  func `only methods that change something take a request key`(example: MethodExample) throws {
    let minimal = JSONTree(example.minimal)
    let error = example.refusal(of: minimal.adding("request_key", "\"k\"").text)
    #expect(error?.path == (example.method.changes ? nil : "params.request_key"))
    guard example.method.changes else { return }
    let longest = String(repeating: "k", count: 255)
    #expect(example.refusal(of: minimal.adding("request_key", "\"\(longest)\"").text) == nil)
    #expect(example.refusal(of: minimal.adding("request_key", "\"\(longest)k\"").text)?.path == "params.request_key")
  }

  @Test(arguments: [
    ("name.given", #"{"given":"\#(String(repeating: "x", count: 256))"}"#), ("name.family", #"{"family":"a\u0007b"}"#),
    ("name.full", #"{"full":""}"#), ("nickname", #""a\u0085b""#),
    ("picture", "\"\(String(repeating: "x", count: 2049))\""), ("locale", "\"\(String(repeating: "x", count: 36))\""),
    ("details", #"{"x":"\#(String(repeating: "x", count: 16_385))"}"#),
  ])
  func `what breaks a limit of a profile is named`(path: String, value: String) throws {
    let member = path.prefix { $0 != "." }
    for (prefix, params) in [
      ("", #"{"provider":"apple","subject":"s","\#(member)":\#(value)}"#),
      ("profile.", #"{"id":"01a22adb-43df-7114-a19b-db5af2fc1f88","profile":{"\#(member)":\#(value)}}"#),
    ] {
      let name = prefix.isEmpty ? "signin.resolve" : "user.update"
      let example = try #require(MethodExample.all.first { "\($0.method.name)" == name })
      #expect(example.refusal(of: params)?.path == "params.\(prefix)\(path)")
    }
  }

  @Test(arguments: [
    #""name":{"given":"\#(String(repeating: "x", count: 255))"}"#,
    #""nickname":"\#(String(repeating: "\u{1F600}", count: 255))""#,
    #""picture":"\#(String(repeating: "x", count: 2048))""#,
    #""locale":"\#(String(repeating: "x", count: 35))""#,
    #""details":{"x":"\#(String(repeating: "x", count: 16_376))"}"#,
  ])
  func `what just keeps a limit of a profile is taken`(member: String) throws {
    let example = try #require(MethodExample.all.first { "\($0.method.name)" == "signin.resolve" })
    #expect(example.refusal(of: #"{"provider":"apple","subject":"s",\#(member)}"#) == nil)
  }

  @Test(arguments: MethodExample.all)
  func `parameters are found in any order and any spelling`(example: MethodExample) throws {
    for params in example.full {
      guard case .object(let members) = JSONTree(params) else { continue }
      let backwards = JSONTree.object(members.reversed()).text
      let escaped = backwards.replacing("\"provider\"", with: "\"pro\\u0076ider\"")
      #expect(try canonical(try example.again(escaped)) == (try canonical(params)))
    }
  }

  @Test func `a large object of unknown parameters is refused by the name of one`() throws {
    let example = MethodExample.all[0]
    for count in [55, 64, 70, 1000] {
      let unknown = (0..<count).map { "\"u\($0)\":1" }.joined(separator: ",")
      let error = try #require(example.refusal(of: "{\"provider\":\"apple\",\"subject\":\"s\",\(unknown)}"))
      #expect(error.path == "params.u0")
    }
    let long = String(repeating: "x", count: 5000)
    let error = try #require(example.refusal(of: "{\"provider\":\"apple\",\"subject\":\"s\",\"\(long)\":1}"))
    #expect(error.message.utf8.count < 200)
  }

  @Test(
    arguments: [
      (#""subject":"\#(String(repeating: "s", count: 256))""#, "params.subject"),
      (#""subject":"\#(String(repeating: "é", count: 128))""#, "params.subject"),
      (#""subject":"s","name":{"given":"\#(String(repeating: "é", count: 256))"}"#, "params.name.given"),
      (#""subject":"s","name":{"family":"a\nb"}"#, "params.name.family"),
      (#""subject":"s","nickname":"a\u0085""#, "params.nickname"),
      (#""subject":"s","nickname":"a\u007f""#, "params.nickname"),
      (#""subject":"s","picture":"\#(String(repeating: "p", count: 2049))""#, "params.picture"),
      (#""subject":"s","locale":"\#(String(repeating: "l", count: 36))""#, "params.locale"),
      (#""subject":"s","email":"\#(String(repeating: "e", count: 321))""#, "params.email"),
      (#""subject":"s","details":{"a":"\#(String(repeating: "d", count: 16 * 1024))"}"#, "params.details"),
      (#""subject":"s","email_verified":"true""#, "params.email_verified"),
      (#""subject":"s","email_verified":1"#, "params.email_verified"),
      (#""subject":"s","email":["a@example.org"]"#, "params.email"),
      (#""subject":"s","register":"Auto""#, "params.register"),
      (#""subject":"s","include":["profile","profile","profile","profile"]"#, "params.include"),
      (#""subject":"s","include":["profile","phones"]"#, "params.include[1]"),
    ])
  func `limits of claims hold`(members: String, path: String) {
    #expect(MethodExample.all[0].refusal(of: "{\"provider\":\"apple\",\(members)}")?.path == path)
  }

  @Test func `names may be as long as allowed in any script`() {
    for letter in ["a", "é", "미", "😀"] {
      let name = String(repeating: letter, count: 255)
      let text = "{\"provider\":\"apple\",\"subject\":\"s\",\"name\":{\"full\":\"\(name)\"},\"nickname\":\"\(name)\"}"
      #expect(MethodExample.all[0].refusal(of: text) == nil)
    }
  }

  @Test func `a user is named in one way only`() throws {
    let get = try #require(MethodExample.all.first { $0.name == "user.get" })
    let id = "\"id\":\"0193a1b2-0000-7000-8000-0123456789ab\""
    for params in [
      "{}", "{\(id),\"email\":\"a@example.org\"}", "{\(id),\"subject\":\"s\"}", "{\(id),\"tenant\":\"t\"}",
      "{\"provider\":\"apple\"}", "{\"subject\":\"s\"}", "{\"tenant\":\"t\",\"email\":\"a@example.org\"}",
      "{\"provider\":\"apple\",\"subject\":\"s\",\"email\":\"a@example.org\"}",
    ] {
      let error = try #require(get.refusal(of: params))
      #expect(error.path == "params" && error.details.contains(.problem(.combination)))
    }
  }

  @Test func `selectors tell what was asked for`() throws {
    let id = try #require(UserID("0193a1b2-0000-7000-8000-0123456789ab"))
    let selectors: [UserGet.Selector] = [
      .id(id), .email("a@example.org"), .identity(IdentitySelector(provider: "apple", tenant: "t", subject: "s")),
      .identity(IdentitySelector(provider: "apple", subject: "s")),
    ]
    for selector in selectors { #expect(UserGet.Parameters(selector).selector == selector) }
  }

  @Test func `a part of a profile is not both replaced and removed`() throws {
    let update = try #require(MethodExample.all.first { $0.name == "user.update" })
    let id = "\"id\":\"0193a1b2-0000-7000-8000-0123456789ab\""
    #expect(update.refusal(of: "{\(id)}")?.path == "params.profile")
    #expect(update.refusal(of: "{\(id),\"clear\":[\"name\"]}") == nil)
    #expect(update.refusal(of: "{\(id),\"clear\":[]}")?.path == "params.clear")
    #expect(
      update.refusal(of: "{\(id),\"profile\":{\"locale\":\"de\"},\"clear\":[\"locale\"]}")?.path == "params.clear")
  }

  @Test func `ids and limits are read exactly`() throws {
    let list = try #require(MethodExample.all.first { $0.name == "identity.list" })
    let id = "0193a1b2-0000-7000-8000-0123456789ab"
    #expect(list.refusal(of: "{\"user_id\":\"\(id.uppercased())\"}") == nil)
    for bad in ["x", "\(id)0", "0193a1b20000700080000123456789abcdef", "0193a1b2-0000-7000-8000-0123456789ag"] {
      #expect(list.refusal(of: "{\"user_id\":\"\(bad)\"}")?.path == "params.user_id")
    }
    for bad in ["0", "1001", "-1", "1.0", "1e2", "99999999999999999999"] {
      #expect(list.refusal(of: "{\"user_id\":\"\(id)\",\"limit\":\(bad)}")?.path == "params.limit")
    }
  }
}

@Suite(.enabled(if: Vectors.has("blns"), Comment(rawValue: Vectors.absence)))
struct NaughtyParametersTests {
  @Test func `naughty strings as subject, name and e-mail come back byte for byte or are refused by path`() throws {
    let naughty = String(decoding: try Vectors.bytes("blns/blns.json"), as: UTF8.self)
    let texts = try reading(naughty) { $0.elements.compactMap(\.string) }
    #expect(texts.count >= 500)
    for text in texts {
      for path in ["subject", "email", "name"] { try check(text, as: path) }
    }
  }

  private func check(_ text: String, as place: String) throws {
    var claims = ClaimsShape(provider: "naver", subject: "s")
    switch place {
    case "subject": claims.subject = ExactText(text)
    case "email": claims.email = ExactText(text)
    default: claims.profile.name = NameShape(full: ExactText(text))
    }
    var writer = JSONWriter()
    Request<SignInResolve>(SignInResolve.Parameters(claims: claims)).encode(into: &writer)
    let line = String(decoding: writer.bytes, as: UTF8.self)
    do {
      let again = try reading(line) { try Request<SignInResolve>(decoding: $0) }
      #expect(again.parameters.claims == claims)
    } catch let error as RPCError {
      #expect(error.reason == .invalidParams && error.path?.hasPrefix("params.\(place)") == true)
      let isName = place == "name"
      #expect(
        text.isEmpty || text.utf8.count > (isName ? 255 : place == "email" ? 320 : 255)
          || (isName && text.unicodeScalars.contains { $0.properties.generalCategory == .control }))
    }
  }
}
