import Accounts
import JSON

/// What a call of a method is answered with.
public struct Response<M: Method>: Sendable {
  public var result: M.Result
  /// Names the call, as the daemon's journal does when something goes wrong; with methods that change something.
  public var requestID: ExactText?

  public init(_ result: consuming M.Result, requestID: ExactText? = nil) {
    self.result = result
    self.requestID = requestID
  }

  /// Reads a result.
  public init(decoding json: JSONValue) throws(ShapeProblem) {
    guard json.isObject else { throw .wrongType("an object") }
    self.init(M.Result())
    var decoder = MemberDecoder(json, .result)
    try result.members(&decoder)
    if M.changes { try show(requestID: &requestID, to: &decoder) }
    try decoder.finish()
  }

  /// Writes the result.
  public func encode(into writer: inout JSONWriter) {
    var response = self
    response.encodeInPlace(into: &writer)
  }

  /// As ``encode(into:)`` without a copy.
  public mutating func encodeInPlace(into writer: inout JSONWriter) {
    writer.beginObject()
    result.encodeMembers(into: &writer)
    if M.changes { show(requestID: &requestID, to: &writer) }
    writer.endObject()
  }
}

/// The one member that the result of every method has that changes something.
func show<V: MemberVisitor>(requestID: inout ExactText?, to visitor: inout V) throws(V.Failure) {
  try visitor.member(
    "request_id", &requestID, .text(bytes: 1...255), "Names the call, as the journal does when something goes wrong.")
}
