import Terminal
import Testing

@Suite struct JSONDocumentTests {
  @Test(arguments: [
    ("{}", "{}"), ("[]", "[]"), ("1", "1"), ("\"a{,:\\\"}\"", "\"a{,:\\\"}\""),
    (#"{"a":1,"b":[]}"#, "{\n  \"a\": 1,\n  \"b\": []\n}"),
    (#"[[1,2],{"c":{}}]"#, "[\n  [\n    1,\n    2\n  ],\n  {\n    \"c\": {}\n  }\n]"),
    ("{\"a\":\"\\\\\",\"b\":\"\\\\\\\"\"}", "{\n  \"a\": \"\\\\\",\n  \"b\": \"\\\\\\\"\"\n}"),
    ("\"김하늘 \u{202E}\u{9B}\u{E0041}\"", "\"김하늘 \\u202e\\u009b\\udb40\\udc41\""),
  ])
  func `on a terminal a document is indented and harmless`(_ compact: String, _ indented: String) {
    #expect(JSONDocument(compact: compact).text(forTerminal: true) == indented)
  }

  @Test func `elsewhere it is left as it came`() {
    let compact = "{\"a\":[1,\"\u{202E}\"]}"
    #expect(JSONDocument(compact: compact).text(forTerminal: false) == compact)
  }
}
