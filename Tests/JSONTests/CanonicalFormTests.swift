import JSON
import Testing

struct CanonicalFormTests {
  @Test func `members are sorted by the bytes of their names`() throws {
    #expect(
      try canonical(#"{ "b" : 1, "a" : [ {"z":1,"y":2} , 1.0 ], "\u00e9":3, "A":4, "":5 }"#)
        == #"{"":5,"A":4,"a":[{"y":2,"z":1},1.0],"b":1,"é":3}"#)
  }

  @Test func `a string has one spelling`() throws {
    #expect(try canonical(#""\u0041\/\u00e9\u000a\ud83d\ude00""#) == #""A/é\n😀""#)
  }

  @Test func `numbers that are written differently stay different`() throws {
    #expect(try canonical("1.0") != (try canonical("1")))
  }

  @Test func `the order of members and the spelling of strings do not matter`() throws {
    for seed in 0..<300 {
      var values = SeededGenerator(state: UInt64(seed))
      let value = Sample(depth: 4, using: &values)
      var one = SeededGenerator(state: 1)
      var other = SeededGenerator(state: 2)
      let form = try canonical(value.spelt(using: &one))
      #expect(try canonical(value.spelt(using: &other)) == form)
      #expect(try canonical(form) == form)
    }
  }

  @Test func `different values have different forms`() throws {
    var forms: [String: Sample] = [:]
    for seed in 0..<300 {
      var generator = SeededGenerator(state: UInt64(seed))
      let value = Sample(depth: 3, using: &generator)
      let form = try canonical(value.spelt(using: &generator))
      #expect(forms[form] == nil || forms[form] == value)
      forms[form] = value
    }
  }
}

/// Some JSON value, which can be spelt in many ways.
private indirect enum Sample: Equatable {
  case scalar(String)
  case string(String)
  case array([Sample])
  case object([String: Sample])

  init(depth: Int, using generator: inout some RandomNumberGenerator) {
    let texts = ["", "a", "ab", "é", "z\n", "\"", "😀", "a/b", "\u{7f}"]
    switch Int.random(in: 0..<(depth > 0 ? 4 : 2), using: &generator) {
    case 0:
      self = .scalar(["1", "-0", "1.50", "1e3", "true", "false", "null"].randomElement(using: &generator) ?? "1")
    case 1:
      self = .string(texts.randomElement(using: &generator) ?? "")
    case 2:
      self = .array(
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in Sample(depth: depth - 1, using: &generator) })
    default:
      var members: [String: Sample] = [:]
      for text in texts.shuffled(using: &generator).prefix(Int.random(in: 0..<6, using: &generator)) {
        members[text] = Sample(depth: depth - 1, using: &generator)
      }
      self = .object(members)
    }
  }

  func spelt(using generator: inout some RandomNumberGenerator) -> String {
    switch self {
    case .scalar(let text): return text
    case .string(let text): return Self.quoted(text, using: &generator)
    case .array(let elements):
      var parts: [String] = []
      for element in elements { parts.append(element.spelt(using: &generator)) }
      return "[ \(parts.joined(separator: " ,"))]"
    case .object(let members):
      var parts: [String] = []
      for (name, value) in members.shuffled(using: &generator) {
        parts.append("\(Self.quoted(name, using: &generator)): \(value.spelt(using: &generator))")
      }
      return "{\(parts.joined(separator: ",\n")) }"
    }
  }

  private static func quoted(_ text: String, using generator: inout some RandomNumberGenerator) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || Bool.random(using: &generator) {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
