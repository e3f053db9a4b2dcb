import JSON
import JSONRPC
import Testing

struct AnswerTests {
  @Test func `a result is answered under the call's id`() {
    var writer = JSONWriter()
    writer.answer(to: CallID(12), result: Array("{}".utf8))
    writer.endLine()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{}}\n")
  }

  @Test func `an answer is read as it was written`() throws {
    var writer = JSONWriter()
    writer.answer(to: CallID(1), error: RPCError(.notFound))
    let parser = JSONParser()
    let answer = try writer.bytes.withUnsafeBytes { Answer(reading: try parser.parse($0, nestingMax: 8)) }
    #expect(answer?.id == CallID(1))
    guard case .error(let error)? = answer?.outcome else {
      Issue.record("no error was read")
      return
    }
    #expect(error.reason == .notFound)
  }

  @Test func `a call is understood as it was written`() throws {
    var writer = JSONWriter()
    writer.beginCall("system.ping", id: CallID(3))
    writer.beginObject()
    writer.endObject()
    writer.endCall()
    let message = String(decoding: writer.bytes, as: UTF8.self)
    #expect(message == #"{"jsonrpc":"2.0","id":3,"method":"system.ping","params":{}}"#)
  }

  @Test func `answers of a batch are one line in the order they came`() {
    var answers = BatchAnswers()
    answers.expectAnswer()
    answers.expectAnswer()
    answers.add { $0.answer(to: CallID(2), result: Array("true".utf8)) }
    #expect(answers.outstanding == 1)
    answers.add { $0.answer(to: CallID(1), result: Array("false".utf8)) }
    #expect(
      answers.finish().map { String(decoding: $0, as: UTF8.self) }
        == "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":true},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":false}]\n")
  }

  @Test func `a batch of notifications is not answered`() {
    var answers = BatchAnswers()
    #expect(answers.finish() == nil)
  }
}
