import JSON

/// An answer as a caller receives it. A result is valid only until the next line is read.
public struct Answer {
  public enum Outcome {
    case result(JSONValue)
    case error(RPCError)
  }

  public let id: CallID
  public let outcome: Outcome

  /// - Returns: nil if the value is no answer of JSON-RPC 2.0.
  public init?(reading value: JSONValue) {
    guard value.member("jsonrpc")?.equals("2.0") == true, let id = value.member("id").flatMap({ CallID($0) })
    else { return nil }
    self.id = id
    if let result = value.member("result") {
      outcome = .result(result)
    } else if let error = value.member("error").flatMap({ RPCError(reading: $0) }) {
      outcome = .error(error)
    } else {
      return nil
    }
  }
}
