import Crypto
import JSON
import Testing
import Vault

@Suite struct KeysetTests {
  private static let key1 = text(of: Base64.encode(Trial.key(0x80)))
  private static let key2 = text(of: Base64.encode(Trial.key(1)))

  private static func text(of secret: SecretBytes) -> String {
    String(decoding: secret.revealedBytes, as: UTF8.self)
  }

  private static func entry(_ id: String, _ key: String, _ state: String) -> String {
    #"{"id": "\#(id)", "key": "\#(key)", "state": "\#(state)"}"#
  }

  /// A keyset with each entry on a line of its own, from the second one.
  private static func keyset(_ entries: String...) -> String {
    "{\"version\": 1, \"keys\": [\n" + entries.joined(separator: ",\n") + "\n]}"
  }

  // MARK: Reading and writing

  @Test func `a keyset comes back from its text`() throws {
    let keyset = try Trial.keyset().adding(Trial.id("k2"), Trial.key(1)).promoting(Trial.id("k2"))
      .adding(Trial.id("2026-11.b_3"), Trial.key(2)).retiring(Trial.id("k1"))
    #expect(try Keyset(reading: keyset.text) == keyset)
    #expect(
      Self.text(of: try Trial.keyset().text)
        == "{\n  \"version\": 1,\n  \"keys\": [\n    " + Self.entry("k1", Self.key1, "primary") + "\n  ]\n}\n")
  }

  @Test func `the form of the contract is read`() throws {
    let text = #"{"version": 1, "keys": [{"id": "k1", "key": "\#(Self.key1)", "state": "primary"}]}"#
    #expect(try Keyset(reading: Trial.secret(text)) == Trial.keyset())
    // Members in another order, blanks, escapes.
    let other =
      "{\"keys\":[{\"state\":\"prim\\u0061ry\",\r\n\t\"key\":\"\(Self.key1)\",\"id\":\"k\\u0031\"}],\"version\":1}"
    #expect(try Keyset(reading: Trial.secret(other)) == Trial.keyset())
  }

  /// Text, the part of the message after the place, the key, the line.
  private static let refused: [(text: String, problem: KeysetError.Problem, key: String?, line: Int?)] = [
    ("", .notJSON, nil, 1),
    ("{\"version\": 1,\n\"keys\": [\(entry("k1", key1, "primary")),]}", .notJSON, nil, 2),
    (keyset(entry("k1", key1, "primary")) + key2, .notJSON, nil, 3),
    (
      keyset("{\"id\": \"k1\",\n\"key\": \"\(key1)\", \"key\": \"\(key2)\", \"state\": \"primary\"}"), .memberTwice,
      nil, 3
    ),
    ("[]", .notAnObject, nil, 1),
    ("{\"version\": 1, \"keys\": [[[]]]}", .notAnObject, nil, 1),
    (String(repeating: "[", count: 9) + String(repeating: "]", count: 9), .notAnObject, nil, nil),
    ("{\"version\": 1, \"keys\": [\n\"\(key1)\"]}", .notAnObject, nil, 2),
    ("{\"version\": 1, \"keys\": {}}", .noKeys, nil, 1),
    ("{\"version\": 1, \"keys\": []}", .noKeys, nil, 1),
    ("{\"version\": 1}", .noKeys, nil, nil),
    ("{\"keys\": [\(entry("k1", key1, "primary"))]}", .versionUnknown, nil, nil),
    ("{\n\"version\": 2, \"keys\": [\(entry("k1", key1, "primary"))]}", .versionUnknown, nil, 2),
    ("{\"version\": \"1\", \"keys\": [\(entry("k1", key1, "primary"))]}", .versionUnknown, nil, 1),
    ("{\"version\": 1, \"keys\": [\(entry("k1", key1, "primary"))],\n\"\(key2)\": 1}", .unknownMember, nil, 2),
    (
      keyset("{\"id\": \"k1\", \"key\": \"\(key1)\", \"state\": \"primary\",\n\"\(key2)\": 1}"), .unknownMember, "k1", 3
    ),
    (keyset(entry("k1", key1, "primary"), entry(key2, "k2", "retired")), .idInvalid, nil, 3),
    (keyset(entry(key2, key1, "primary")), .idInvalid, nil, 2),
    (keyset(entry("", key1, "primary")), .idInvalid, nil, 2),
    (keyset(entry("k 1", key1, "primary")), .idInvalid, nil, 2),
    (keyset("{\"key\": \"\(key1)\", \"state\": \"primary\"}"), .idInvalid, nil, 2),
    (keyset("{\"id\": 1, \"key\": \"\(key1)\", \"state\": \"primary\"}"), .idInvalid, nil, 2),
    (keyset(entry("k1", key1, "primary"), entry("k1", key2, "retired")), .idTwice, "k1", 3),
    (keyset(entry("k1", String(key1.dropLast()), "primary")), .keyNotBase64, "k1", 2),
    (keyset(entry("k1", key1 + "\\n", "primary")), .keyNotBase64, "k1", 2),
    (keyset(entry("k1", String(key1.dropLast(2)) + "B=", "primary")), .keyNotBase64, "k1", 2),
    (keyset("{\"id\": \"k1\", \"key\": [1], \"state\": \"primary\"}"), .keyNotBase64, "k1", 2),
    (keyset("{\"id\": \"k1\", \"state\": \"primary\"}"), .keyNotBase64, "k1", 2),
    (keyset(entry("k1", "", "primary")), .keyLength, "k1", 2),
    (keyset(entry("k1", String(repeating: "A", count: 43) + "=", "primary")), .keyUnset, "k1", 2),
    (keyset(entry("k1", String(key1.dropLast(4)), "primary")), .keyLength, "k1", 2),
    (keyset(entry("k1", "AAAA" + key1, "primary")), .keyLength, "k1", 2),
    (keyset(entry("k1", key1, "Primary")), .stateUnknown, "k1", 2),
    (keyset(entry("k1", key1, key2)), .stateUnknown, "k1", 2),
    (keyset("{\"id\": \"k1\", \"key\": \"\(key1)\"}"), .stateUnknown, "k1", 2),
    (keyset(entry("k1", key1, "decrypt_only")), .noPrimary, nil, nil),
    (keyset(entry("k1", key1, "retired"), entry("k2", key2, "decrypt_only")), .noPrimary, nil, nil),
  ]

  @Test(arguments: refused.indices)
  func `a wrong keyset is refused by what is wrong and where, and no key is told`(_ index: Int) {
    let (text, problem, key, line) = Self.refused[index]
    let error = #expect(throws: KeysetError.self) { try Keyset(reading: Trial.secret(text)) }
    #expect(error?.problem == problem)
    #expect(error?.key?.description == key)
    #expect(error?.line == line)
    expectNoKey(in: error)
  }

  @Test func `a second primary and the same key twice name the other one`() throws {
    let twoPrimaries = Self.keyset(Self.entry("k1", Self.key1, "primary"), Self.entry("k2", Self.key2, "primary"))
    let error = #expect(throws: KeysetError.self) { try Keyset(reading: Trial.secret(twoPrimaries)) }
    #expect(error?.description == #"line 3: key "k2" is primary, and so is key "k1""#)
    let sameKey = Self.keyset(Self.entry("k1", Self.key1, "primary"), Self.entry("k2", Self.key1, "retired"))
    let other = #expect(throws: KeysetError.self) { try Keyset(reading: Trial.secret(sameKey)) }
    #expect(other?.description == #"line 3: key "k2" is the same as key "k1""#)
    expectNoKey(in: other)
  }

  private func expectNoKey(in error: KeysetError?) {
    var told = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
    dump(error, to: &told)
    for key in [Self.key1, Self.key2] {
      let digits = Array(key)
      for start in 0...(digits.count - 8) {
        #expect(!told.contains(String(digits[start..<(start + 8)])))
      }
    }
  }

  @Test func `a keyset that is too large is refused`() throws {
    let blanks = SecretBytes(copying: [UInt8](repeating: 0x20, count: Keyset.textBytesMax + 1))
    #expect(throws: KeysetError.self) { try Keyset(reading: blanks) }
    var keyset = try Trial.keyset()
    for number in 1..<Keyset.keysMax {
      keyset = try keyset.adding(
        Trial.id("key-\(number)"),
        SecretBytes(copying: [UInt8(number)] + [UInt8](repeating: 0, count: 31)))
    }
    #expect(try Keyset(reading: keyset.text) == keyset)
    let error = #expect(throws: KeysetError.self) { try keyset.adding(Trial.id("more"), Trial.key(9)) }
    #expect(error?.problem == .tooManyKeys(max: Keyset.keysMax))
  }

  // MARK: Changing

  private func states(_ keyset: Keyset) -> [String] {
    keyset.keys.map { "\($0.id) \($0.state.rawValue)" }
  }

  @Test func `a key is added, promoted, and the former one retired`() throws {
    let first = try Trial.keyset()
    #expect(states(first) == ["k1 primary"])
    let added = try first.adding(Trial.id("k2"), Trial.key(1))
    #expect(states(added) == ["k1 primary", "k2 decrypt_only"])
    let promoted = try added.promoting(Trial.id("k2"))
    #expect(states(promoted) == ["k1 decrypt_only", "k2 primary"])
    let retired = try promoted.retiring(Trial.id("k1"))
    #expect(states(retired) == ["k1 retired", "k2 primary"])
    // What was made of it leaves the former keyset as it was.
    #expect(states(first) == ["k1 primary"])
  }

  @Test func `a keyset grows by random keys, whose ids are those of no other keyset`() throws {
    let first = try Keyset.growing(nil, by: nil, random: .system)
    #expect(first.keys.map(\.state) == [.primary])
    #expect(try #require(first.keys.first?.id.text.string).wholeMatch(of: /k1-[0-9a-f]{6}/) != nil)
    let second = try Keyset.growing(first, by: nil, random: .system)
    #expect(second.keys.map(\.state) == [.primary, .decryptOnly])
    #expect(try #require(second.keys.last?.id.text.string).hasPrefix("k2-"))
    #expect(try Keyset.growing(second, by: Trial.id("mine"), random: .system).keys.last?.id == Trial.id("mine"))
    let others = try (0..<50).map { _ in try Keyset.growing(nil, by: nil, random: .system).keys[0] }
    #expect(Set(others.map(\.id)).count == 50)
    let taken = #expect(throws: KeysetError.self) {
      try Keyset.growing(second, by: second.keys[0].id, random: .system)
    }
    #expect(taken?.problem == .idTwice)
    let empty = #expect(throws: KeysetError.self) {
      try Keyset.growing(nil, by: nil, random: RandomSource { _ in false })
    }
    #expect(empty?.problem == .noRandomBytes)
  }

  @Test func `changes that make no sense are refused by name`() throws {
    let keyset = try Trial.keyset().adding(Trial.id("k2"), Trial.key(1)).promoting(Trial.id("k2"))
      .retiring(Trial.id("k1"))
    func problem(_ change: (Keyset) throws(KeysetError) -> Keyset) -> KeysetError.Problem? {
      #expect(throws: KeysetError.self) { () throws(KeysetError) in try change(keyset) }?.problem
    }
    let (k1, k2, k3) = (try Trial.id("k1"), try Trial.id("k2"), try Trial.id("k3"))
    #expect(problem { (set) throws(KeysetError) in try set.adding(k1, Trial.key(5)) } == .idTwice)
    #expect(problem { (set) throws(KeysetError) in try set.adding(k3, Trial.key(1)) } == .sameKey(as: k2))
    #expect(
      problem { (set) throws(KeysetError) in try set.adding(k3, SecretBytes(copying: [1])) } == .keyLength)
    #expect(problem { (set) throws(KeysetError) in try set.promoting(k1) } == .alreadyRetired)
    #expect(problem { (set) throws(KeysetError) in try set.promoting(k2) } == .alreadyPrimary)
    #expect(problem { (set) throws(KeysetError) in try set.promoting(k3) } == .noSuchKey)
    #expect(problem { (set) throws(KeysetError) in try set.retiring(k1) } == .alreadyRetired)
    #expect(problem { (set) throws(KeysetError) in try set.retiring(k2) } == .primaryCannotRetire)
    #expect(problem { (set) throws(KeysetError) in try set.retiring(k3) } == .noSuchKey)
  }

  @Test(arguments: ["", " ", "k 1", "k\n", "k/1", "ключ", "k=", String(repeating: "k", count: 33)])
  func `an id of other characters, or too long, is none`(_ text: String) {
    #expect(KeyID(text) == nil)
  }

  @Test func `no key in base64 or hexadecimal digits can be an id`() {
    #expect(KeyID(Self.key1) == nil)
    #expect(KeyID(String(Self.key1.dropLast())) == nil)
    #expect(KeyID(String(repeating: "0f", count: 32)) == nil)
  }
}
