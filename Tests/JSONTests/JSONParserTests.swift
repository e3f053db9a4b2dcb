import TestSupport
import Testing

@testable import JSON

struct JSONParserTests {
  @Test func `scalars stand alone`() throws {
    #expect(try reading(" null ") { $0.isNull })
    #expect(try reading("true") { $0.bool } == true)
    #expect(try reading("false") { $0.bool } == false)
    #expect(try reading("-12") { $0.integer } == -12)
    #expect(try reading("\"a\"") { $0.string } == "a")
  }

  @Test func `a value of one kind is not of another`() throws {
    try reading("[1,\"1\",true,null,{}]") { list in
      let values = Array(list.elements)
      #expect(values.map(\.kind) == [.number, .string, .bool, .null, .object])
      #expect(values[0].string == nil && values[0].bool == nil)
      #expect(values[1].integer == nil && values[1].bool == nil)
      #expect(values[0].members.map { _ in 0 }.isEmpty && values[4].elements.map { _ in 0 }.isEmpty)
    }
  }

  @Test func `whole numbers are exact up to 64 bits`() throws {
    #expect(try reading("9223372036854775807") { $0.integer } == .max)
    #expect(try reading("-9223372036854775808") { $0.integer } == .min)
    #expect(try reading("-0") { $0.integer } == 0)
    for text in ["9223372036854775808", "-9223372036854775809", "1.0", "1e2", "100000000000000000000000"] {
      #expect(try reading(text) { $0.integer } == nil)
    }
  }

  @Test func `a number keeps its digits`() throws {
    for text in ["1", "1.000000000000000005", "10000000000000000999", "1E400", "-0", "1e-999", "0.10"] {
      #expect(try reading(" [ \(text) ] ") { $0.elements.map { String(decoding: $0.raw, as: UTF8.self) } } == [text])
    }
  }

  @Test func `a value is found again exactly as it stood`() throws {
    let raw = try reading(#"{"a" : [1, {"b":"\u0041"} ] , "c":"\/"}"#) { object in
      [object.member("a"), object.member("c")].map { $0.map { String(decoding: $0.raw, as: UTF8.self) } }
    }
    #expect(raw == [#"[1, {"b":"\u0041"} ]"#, #""\/""#])
  }

  @Test func `members are found by name however it is spelt`() throws {
    try reading(#"{"sub\u006Aect":1,"other":{"subject":2},"":3}"#) { object in
      #expect(object.member("subject")?.integer == 1)
      #expect(object.member("other")?.member("subject")?.integer == 2)
      #expect(object.member("")?.integer == 3)
      #expect(object.member("sub") == nil)
      #expect(object.count == 3)
    }
  }

  @Test func `a name that stands twice is refused however it is spelt`() {
    for text in [
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"":1,"":2}"#,
      #"[{"x":{"longer than eight":1,"other":2,"longer than eigh\u0074":3}}]"#, #"{"é":1,"\u00e9":2}"#,
      #"{"\ud83d\ude00":1,"😀":2}"#,
    ] {
      guard case .duplicateName = refusal(of: text, nestingMax: 64) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func `names are compared as bytes`() {
    for text in [
      #"{"a":1,"A":2}"#, #"{"\u00e9":1,"e\u0301":2}"#, #"{"K":1,"\u212a":2}"#, #"{"a":1,"b":{"a":2}}"#,
      #"{"seven77x":1,"seven77y":2}"#, #"[{"a":1},{"a":1}]"#,
    ] {
      #expect(refusal(of: text) == nil, "\(text)")
    }
  }

  @Test func `large objects are checked for names that stand twice`() {
    for count in [31, 32, 33, 34, 200, 5000] {
      let members = (0..<count).map { "\"member\($0)\":\($0)" }.joined(separator: ",")
      #expect(refusal(of: "{\(members)}") == nil)
      #expect(isMalformed("{\(members),\"member0\":1}"))
      #expect(isMalformed("{\(members),\"\\u006dember\(count - 1)\":1}"))
    }
  }

  @Test func `a hostile object costs no more than its size`() throws {
    let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
    let parser = JSONParser()
    let count = try Array("{\(members)}".utf8).withUnsafeBytes { try parser.parse($0, nestingMax: 1).count }
    #expect(count == 100_000)
    // Pairwise it would be five thousand million; a table at most half full looks at fewer than one other key each.
    #expect(parser.keys.comparisons < 200_000)
  }

  @Test func `nesting counts from the outermost value`() {
    #expect(refusal(of: "1", nestingMax: 0) == nil)
    #expect(refusal(of: "[[1]]", nestingMax: 2) == nil)
    #expect(refusal(of: #"[{"a":[]}]"#, nestingMax: 3) == nil)
    #expect(refusal(of: #"[{"a":[]}]"#, nestingMax: 2) == .tooDeep(limit: 2))
    #expect(refusal(of: "[]", nestingMax: 0) == .tooDeep(limit: 0))
  }

  @Test func `a deep text that is no JSON is malformed and not too deep`() {
    let opened = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    let closed = [UInt8](repeating: UInt8(ascii: "]"), count: 100_000)
    #expect(refusal(of: opened, nestingMax: 64) == .malformed(offset: 100_000))
    #expect(refusal(of: opened + closed, nestingMax: 64) == .tooDeep(limit: 64))
    #expect(refusal(of: opened + closed + [0x5D], nestingMax: 64) == .malformed(offset: 200_000))
    #expect(refusal(of: opened + closed + [0x20], nestingMax: 64) == .tooDeep(limit: 64))
    #expect(refusal(of: #"{"a":[{"b":1}]}"#, nestingMax: 1) == .tooDeep(limit: 1))
    #expect(refusal(of: #"{"a":[{"b":1]}}"#, nestingMax: 1) == .malformed(offset: 12))
    #expect(refusal(of: #"{"a":[1]]"#, nestingMax: 1) == .malformed(offset: 8))
  }

  @Test func `surrogates must come in pairs`() throws {
    #expect(try reading(#""\uD83D\uDE00""#) { $0.string } == "😀")
    #expect(try reading(#""\uDBFF\uDFFF""#) { $0.string } == "\u{10FFFF}")
    #expect(try reading(#""\uD800\uDC00""#) { $0.string } == "\u{10000}")
    for text in [
      #""\uD83D""#, #""\uDE00""#, #""\uDE00\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\u0041""#,
      #""\uD83D\uD83D\uDE00""#, #""\uD83D\uDE0""#, #""\ud83d\"#,
    ] {
      #expect(isMalformed(text), "\(text)")
    }
  }

  @Test func `U+0000 and raw controls are refused`() {
    #expect(isMalformed(#""\u0000""#))
    #expect(isMalformed(#"{"\u0000":1}"#))
    for control in UInt8(0)..<0x20 {
      #expect(isMalformed([0x22, 0x61, control, 0x22]))
      #expect(isMalformed([0x22] + [UInt8](repeating: 0x61, count: 13) + [control, 0x22]))
    }
    #expect(refusal(of: [0x22, 0x7F, 0x22]) == nil)
  }

  @Test func `only well-formed UTF-8 is read`() {
    func inString(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }
    let good: [[UInt8]] = [
      [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
      [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
    ]
    let bad: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x41], [0xFE], [0xFF],
      [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]
    for bytes in good { #expect(refusal(of: inString(bytes)) == nil) }
    for bytes in bad { #expect(isMalformed(inString(bytes))) }
    #expect(isMalformed([0xEF, 0xBB, 0xBF] + Array("{}".utf8)))
  }

  @Test func `escapes are undone`() throws {
    #expect(
      try reading(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\u007f""#) { $0.string } == "\"\\/\u{8}\u{c}\n\r\tAé€\u{7f}")
  }

  @Test func `text is read alike wherever it stands in the parser's eight-byte steps`() throws {
    let parser = JSONParser()
    for padding in 0..<32 {
      let spaces = String(repeating: " ", count: padding)
      for length in 0..<24 {
        let content = String(repeating: "a", count: length)
        let text = Array("\(spaces){\"k\":\"\(content)é\(content)\\n\"}".utf8)
        let string = try text.withUnsafeBytes { try parser.parse($0, nestingMax: 1).member("k")?.string }
        #expect(string == "\(content)é\(content)\n")
      }
    }
  }

  @Test func `a parser can be used again after any text`() throws {
    let parser = JSONParser()
    let texts = ["{\"a\":1}", "[1,", String(repeating: "[1,2,3],", count: 100_000), "[[[[", "{\"a\":1}"]
    for text in texts {
      Array(text.utf8).withUnsafeBytes { _ = try? parser.parse($0, nestingMax: 2) }
    }
    let value = try Array("{\"a\":1}".utf8).withUnsafeBytes { try parser.parse($0, nestingMax: 2).member("a")?.integer }
    #expect(value == 1)
  }

  @Test func `a value tells where it begins`() throws {
    try reading(#" {"a": [1, "b"]}"#) { root in
      #expect(root.offset == 1)
      #expect(root.members.map(\.key.offset) == [2])
      #expect(root.member("a")?.elements.map(\.offset) == [8, 11])
    }
  }

  @Test func `of a text that was wiped nothing is left`() throws {
    let left = try ProcessMemory.rehearsed {
      let canary = ProcessMemory.Canary()
      let parser = JSONParser()
      let text = UnsafeMutableRawBufferPointer.allocate(byteCount: canary.count * 2 + 2, alignment: 1)
      defer { text.deallocate() }
      text.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "\""))
      let digits = UnsafeMutableRawBufferPointer(rebasing: text[1..<(text.count - 1)])
      canary.writeDigits(to: digits)
      let secret = ProcessMemory.Canary(UnsafeRawBufferPointer(digits))
      _ = try parser.parse(UnsafeRawBufferPointer(text), nestingMax: 1)
      let read = try ProcessMemory.copies(of: secret)
      digits.initializeMemory(as: UInt8.self, repeating: 0)
      let parsed = try ProcessMemory.copies(of: secret)
      parser.wipe()
      return [read, parsed, try ProcessMemory.copies(of: secret)]
    }
    #expect(left == [2, 1, 0])
  }

  @Test func `every beginning of a text is malformed`() throws {
    let text = Array(#"{"a":[1.5e+3,true,false,null,"x\u00e9é\ud83d\ude00"],"b":{"c":-0}}"#.utf8)
    #expect(refusal(of: text) == nil)
    for count in 0..<text.count { #expect(isMalformed(text[..<count]), "\(count)") }
  }

  @Test func `no damage to a text upsets the parser`() {
    var generator = SeededGenerator(state: 7)
    let text = Array(#"{"a":[1.5e+3,true,[],{"x":{}},null,"x\u00e9é\ud83d\ude00"],"b":{"c":-0,"d":[[[[]]]]}}"#.utf8)
    let bytes = Array(#"{}[],:"\u0tfn19-+.eE "#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
    for _ in 0..<20_000 {
      var damaged = text
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[index] = bytes.randomElement(using: &generator) ?? 0
      }
      _ = refusal(of: damaged, nestingMax: 5)
    }
  }
}
