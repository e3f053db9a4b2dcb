import JSON
import JSONRPC
import Testing

struct MessageDecoderTests {
  @Test func `a call has a method, parameters and an id`() throws {
    let call = try #require(understood(#"{"jsonrpc":"2.0","method":"system.ping","params":{"a":1},"id":7}"#).only)
    #expect(call == "call system.ping {\"a\":1} 7")
  }

  @Test func `parameters and id may be absent`() {
    #expect(understood(#"{"jsonrpc":"2.0","method":"m"}"#) == ["call m absent notification"])
    #expect(understood(#"{"id":null,"method":"m","jsonrpc":"2.0"}"#) == ["call m absent null"])
  }

  @Test func `an id goes back exactly as it came`() {
    for id in [
      "1", "1.0", "-0", "1e400", "10000000000000000999", #""x""#, #""""#, #""\u0041\/""#, #""1""#, "null",
      "123456789012345678901234567890",
    ] {
      #expect(understood(#"{"jsonrpc":"2.0","method":"m","id": \#(id) }"#) == ["call m absent \(id)"])
    }
  }

  @Test func `an id of another kind is an invalid request`() {
    for id in ["true", "[]", "{}", "[1]"] {
      #expect(understood(#"{"jsonrpc":"2.0","method":"m","id":\#(id)}"#) == ["invalid_request null"])
    }
  }

  @Test func `a malformed call still gets its id back`() {
    for text in [
      #"{"id":5}"#, #"{"id":5,"method":"m"}"#, #"{"jsonrpc":"2.0","id":5}"#, #"{"jsonrpc":"2.0","method":1,"id":5}"#,
      #"{"jsonrpc":"1.0","method":"m","id":5}"#, #"{"jsonrpc":2.0,"method":"m","id":5}"#,
      #"{"jsonrpc":"2.0","method":"m","params":1,"id":5}"#, #"{"jsonrpc":"2.0","method":"m","params":null,"id":5}"#,
      #"{"jsonrpc":"2.0","method":"m","params":"x","id":5}"#, #"{"jsonrpc":"2.0","method":null,"id":5}"#,
      #"{"jsonrpc":"2.0","method":"m","parms":{},"id":5}"#, #"{"extra":1,"jsonrpc":"2.0","method":"m","id":5}"#,
    ] {
      #expect(understood(text) == ["invalid_request 5"], "\(text)")
    }
  }

  @Test func `a malformed call without an id is no notification`() {
    #expect(understood(#"{"foo":"boo"}"#) == ["invalid_request null"])
    #expect(understood(#"{"jsonrpc":"2.0","method":1}"#) == ["invalid_request null"])
  }

  @Test func `names of the envelope may be spelt with escapes`() {
    #expect(understood(#"{"json\u0072pc":"2\u002e0","method":"m","id":1}"#) == ["call m absent 1"])
  }

  @Test func `what is no object is an invalid request`() {
    for text in ["1", "null", "true", #""m""#] {
      #expect(understood(text) == ["invalid_request null"])
    }
  }

  @Test func `what is no JSON is a parse error with the id null`() {
    for text in [
      "", " ", "{", "{}{}", #"{"jsonrpc":"2.0","method":"m","id":1,"id":1}"#, #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#,
      #"{"jsonrpc":"2.0","method":"m","id":1,}"#,
    ] {
      #expect(understood(text) == ["whole parse_error"], "\(text)")
    }
  }

  @Test func `entries of a batch are understood one by one`() {
    #expect(
      understood(#"[{"jsonrpc":"2.0","method":"a","id":1},2,[],{"jsonrpc":"2.0","method":"b"},{"id":"x"}]"#) == [
        "batch", "call a absent 1", "invalid_request null", "invalid_request null", "call b absent notification",
        #"invalid_request "x""#,
      ])
  }

  @Test func `an empty batch is one invalid request`() {
    #expect(understood("[]") == ["whole invalid_request"])
    #expect(understood(" [ ] ") == ["whole invalid_request"])
  }

  @Test func `a batch over the limit is refused as a whole and names the limit`() throws {
    let decoder = MessageDecoder(batchCallsMax: 3)
    #expect(understood("[1,2,3]", decoder).count == 4)
    let error = try #require(refusal(of: "[1,2,3,4]", decoder))
    #expect(error.reason == .tooMany)
    #expect(error.details == [.limit(.batchCalls, max: 3)])
  }

  @Test func `nesting over the limit is refused and names the limit`() throws {
    let decoder = MessageDecoder(nestingMax: 2)
    #expect(refusal(of: #"{"jsonrpc":"2.0","method":"m","params":{}}"#, decoder) == nil)
    let error = try #require(refusal(of: #"{"jsonrpc":"2.0","method":"m","params":{"a":[]}}"#, decoder))
    #expect(error.reason == .tooLarge)
    #expect(error.details == [.limit(.nesting, max: 2)])
    #expect(refusal(of: #"{"jsonrpc":"2.0","method":"m","params":{"a":[}}"#, decoder)?.reason == .parseError)
  }

  private func understood(_ text: String, _ decoder: MessageDecoder = MessageDecoder()) -> [String] {
    Array(text.utf8).withUnsafeBytes { frame in
      switch decoder.decode(frame) {
      case .refused(let error): ["whole \(error.reason.rawValue)"]
      case .single(let entry): [told(entry)]
      case .batch(let batch): ["batch"] + batch.map(told)
      }
    }
  }

  private func refusal(of text: String, _ decoder: MessageDecoder) -> RPCError? {
    Array(text.utf8).withUnsafeBytes { frame in
      if case .refused(let error) = decoder.decode(frame) { error } else { nil }
    }
  }

  private func told(_ entry: MessageEntry) -> String {
    switch entry {
    case .invalid(let error, let id): return "\(error.reason.rawValue) \(id.json)"
    case .call(let call):
      let params = call.params.map { String(decoding: $0.raw, as: UTF8.self) } ?? "absent"
      return "call \(call.method.string ?? "") \(params) \(call.id?.json ?? "notification")"
    }
  }
}

extension Array {
  /// The element of an array that has exactly one.
  fileprivate var only: Element? { count == 1 ? first : nil }
}
