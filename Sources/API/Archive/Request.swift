import Accounts
import JSON
import JSONRPC

/// What a call of a method says.
public struct Request<M: Method>: Sendable {
  public var parameters: M.Parameters
  /// Makes a repeat of the call answer the same; only for methods that change something.
  public var requestKey: ExactText?

  public init(_ parameters: M.Parameters, requestKey: ExactText? = nil) {
    self.parameters = parameters
    self.requestKey = requestKey
  }

  /// Reads the parameters of a call.
  ///
  /// - Parameter params: nil where the call has none.
  /// - Throws: `invalid_params` with the path of what is wrong.
  public init(decoding params: JSONValue?) throws(RPCError) {
    do throws(ShapeProblem) {
      if let params, !params.isObject { throw ShapeProblem(.wrongType, "must be an object; parameters have names") }
      self.init(M.Parameters())
      var decoder = MemberDecoder(params, .parameters)
      try parameters.members(&decoder)
      if M.changes { try showRequestKey(to: &decoder) }
      try decoder.finish()
      if let problem = parameters.contradiction() { throw problem }
    } catch {
      throw error.refusal
    }
  }

  /// Writes the parameters of a call.
  public func encode(into writer: inout JSONWriter) {
    var request = self
    writer.beginObject()
    request.parameters.members(&writer)
    if M.changes { request.showRequestKey(to: &writer) }
    writer.endObject()
  }

  /// The one member that every method has that changes something.
  mutating func showRequestKey<V: MemberVisitor>(to visitor: inout V) throws(V.Failure) {
    try visitor.member(
      "request_key", &requestKey, .text(bytes: 1...255),
      "Chosen by the caller: a repeat with the same key and parameters gets the same answer for 30 days.")
  }
}
