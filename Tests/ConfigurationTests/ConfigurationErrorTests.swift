import Configuration
import Foundation
import TestSupport
import Testing

@testable import struct Configuration.ConfigurationSource

@Suite struct ConfigurationErrorTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try TestKeys.write(TestKeys.keyset(), to: folder.path + "/keyset.json")
  }

  @Test(arguments: ConfigurationCase.all)
  func `everything wrong is told with its key and line`(_ testCase: ConfigurationCase) throws {
    let input = testCase.input.replacing("$FOLDER", with: folder.path)
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationSource().parse(Array(input.utf8), named: "kith.json5", in: .invented())
    }
    #expect(error?.description == testCase.expected)
  }

  @Test func `the cases are found`() {
    #expect(ConfigurationCase.all.count >= 30)
  }

  @Test func `a database is left out with --embedded`() {
    let text =
      #"{ database: "x", namespaces: [{ provider: "password", tenant: "p" }], callers: [{ name: "a", uid: 1, methods: ["*"] }] }"#
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationSource(isEmbedded: true).parse(Array(text.utf8), named: "kith.json5", in: .invented())
    }
    #expect(
      error?.description
        == "kith.json5:1: database: must be left out with --embedded, which brings its own database")
  }

  @Test func `a file that is not there is named`() {
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationSource(file: "/nowhere/kith.json5").load(in: .invented())
    }
    #expect(error?.description == "/nowhere/kith.json5: cannot be opened: No such file or directory")
  }

  @Test func `a file that is no text is refused`() {
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationSource().parse([0x7B, 0xFF, 0x7D], named: "kith.json5", in: .invented())
    }
    #expect(error?.description == "kith.json5: is not UTF-8")
  }

  @Test func `a folder is no configuration`() {
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationSource(file: "/tmp").load(in: .invented())
    }
    #expect(error?.description == "/tmp: is not a regular file")
  }

  @Test func `no piece of a good configuration crashes the reader`() throws {
    let sample = try Data(contentsOf: ConfigurationCase.folder.appending(path: "sample.json5"))
    for end in stride(from: 0, to: sample.count, by: 3) {
      _ = try? ConfigurationSource().parse(Array(sample[..<end]), named: "k", in: .invented())
    }
  }

  @Test func `no changed byte of a good configuration crashes the reader`() throws {
    let sample = try Array(Data(contentsOf: ConfigurationCase.folder.appending(path: "sample.json5")))
    // Every seventh place, which is no length of anything here, keeps this short.
    for place in stride(from: 0, to: sample.count, by: 7) {
      for byte in Array("{}[]:,\"'\\/*\n0-".utf8) + [0x00, 0xFF, 0xC2] {
        var changed = sample
        changed[place] = byte
        _ = try? ConfigurationSource().parse(changed, named: "k", in: .invented())
      }
    }
  }

  @Test(arguments: [
    "{\"K\":1,\"\u{212A}\":2}", "{\"é\":1,\"e\u{301}\":2}", "{\"\u{0}\":1}", "\u{FEFF}{}", "{\u{A0}}", "{\u{2028}}",
    "{a:\u{202E}1}",
    "{a: 0x}", "{a: +}", "{a: .}", "{a: 1e}", "{a: -Infinity}", "{a: 1e99999}", "{a: '\\\r\n'}", "{a: '\\\u{2028}'}",
    "{\"\":1}",
    "{a: 99999999999999999999999999999999999999999}", "{__proto__: 1}", "{a:1}//", "/**/{}/**/", "//",
    "{callers:[[[[[]]]]]}",
  ])
  func `a naughty text is refused and nothing worse`(_ text: String) {
    #expect(throws: ConfigurationError.self) {
      try ConfigurationSource().parse(Array(text.utf8), named: "k", in: .invented())
    }
  }
}
