import JSON

/// Answers and calls, each one JSON value; `endLine` makes a message of it.
extension JSONWriter {
  /// Begins an answer: the result, one value, is to be written next, and then `endAnswer`.
  public mutating func beginAnswer(to id: CallID) {
    beginObject()
    member("jsonrpc")
    raw("\"2.0\"")
    member("id")
    id.write(into: &self)
    member("result")
  }

  public mutating func endAnswer() {
    endObject()
  }

  /// An answer whose result is JSON already.
  public mutating func answer(to id: CallID, result: [UInt8]) {
    beginAnswer(to: id)
    raw(result)
    endAnswer()
  }

  /// An answer that refuses.
  public mutating func answer(to id: CallID, error: RPCError) {
    beginObject()
    member("jsonrpc")
    raw("\"2.0\"")
    member("id")
    id.write(into: &self)
    member("error")
    error.write(into: &self)
    endObject()
  }

  /// Begins a call, or with no id a notification: the parameters, one value, are to be written next, and then
  /// `endCall`.
  public mutating func beginCall(_ method: String, id: CallID?) {
    beginObject()
    member("jsonrpc")
    raw("\"2.0\"")
    if let id {
      member("id")
      id.write(into: &self)
    }
    member("method")
    string(method)
    member("params")
  }

  public mutating func endCall() {
    endObject()
  }
}
