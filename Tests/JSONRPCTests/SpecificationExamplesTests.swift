import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.has("jsonrpc"), Comment(rawValue: Vectors.absence)))
struct SpecificationExamplesTests {
  @Test func `the specification's own examples are answered as it says`() throws {
    let parser = JSONParser()
    let examples = try Vectors.bytes("jsonrpc/spec-examples.json").withUnsafeBytes {
      try parser.parse($0, nestingMax: 16)
    }
    try withExtendedLifetime(parser) {
      #expect(examples.count == 15)
      for example in examples.elements {
        let name = example.member("name")?.string ?? ""
        let answer = SpecificationServer().answer(to: example.member("send")?.string ?? "")
        let expected = example.member("expect").flatMap { $0.isNull ? nil : Self.essence(of: $0) }
        let told = try answer.map { try Self.essence(of: $0) }
        #expect(told == expected, "\(name)")
      }
    }
  }

  /// What of an answer is fixed: everything but the words of a message and the data beside it.
  private static func essence(of line: [UInt8]) throws -> [String] {
    #expect(line.last == 0x0A)
    let parser = JSONParser()
    return try withExtendedLifetime(parser) {
      try line.dropLast().withUnsafeBytes { essence(of: try parser.parse($0, nestingMax: 16)) }
    }
  }

  private static func essence(of value: JSONValue) -> [String] {
    guard !value.isArray else { return ["batch"] + value.elements.flatMap { essence(of: $0) } }
    func raw(_ value: JSONValue?) -> String { value.map { String(decoding: $0.raw, as: UTF8.self) } ?? "absent" }
    return [
      raw(value.member("jsonrpc")), raw(value.member("id")), raw(value.member("result")),
      raw(value.member("error")?.member("code")),
    ]
  }
}

/// A server with the methods of the specification's examples.
struct SpecificationServer {
  private let decoder = MessageDecoder()

  /// The line that answers, or nil where there is nothing to answer.
  func answer(to line: String) -> [UInt8]? {
    let bytes = Array(line.utf8)
    return bytes.withUnsafeBytes { frame in
      switch decoder.decode(frame) {
      case .refused(let error): single { $0.answer(to: .null, error: error) }
      case .single(let entry): answers(entry) ? single { answer(entry, into: &$0) } : nil
      case .batch(let batch): answer(batch)
      }
    }
  }

  private func single(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    write(&writer)
    writer.endLine()
    return writer.take()
  }

  private func answer(_ batch: Batch) -> [UInt8]? {
    var answers = BatchAnswers()
    for entry in batch where self.answers(entry) {
      answers.expectAnswer()
      answers.add { answer(entry, into: &$0) }
    }
    #expect(answers.outstanding == 0)
    return answers.finish()
  }

  private func answers(_ entry: MessageEntry) -> Bool {
    if case .call(let call) = entry { call.id != nil } else { true }
  }

  private func answer(_ entry: MessageEntry, into writer: inout JSONWriter) {
    switch entry {
    case .invalid(let error, let id):
      writer.answer(to: id, error: error)
    case .call(let call):
      let id = call.id ?? .null
      guard let result = result(of: call) else { return writer.answer(to: id, error: RPCError(.methodNotFound)) }
      writer.answer(to: id, result: Array(result.utf8))
    }
  }

  private func result(of call: Call) -> String? {
    let numbers = call.params?.elements.compactMap(\.integer) ?? []
    switch call.method.string {
    case "subtract":
      let minuend = call.params?.member("minuend")?.integer ?? numbers.first ?? 0
      let subtrahend = call.params?.member("subtrahend")?.integer ?? numbers.last ?? 0
      return String(minuend - subtrahend)
    case "sum": return String(numbers.reduce(0, +))
    case "get_data": return #"["hello",5]"#
    default: return nil
    }
  }
}
