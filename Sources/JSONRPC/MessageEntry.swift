import JSON

/// What stands alone on a line or as one of a batch.
public enum MessageEntry {
  case call(Call)
  /// Not a call; to be answered with the id if that could be read, or else with null.
  case invalid(RPCError, id: CallID)

  /// Reads an envelope. Members it does not know are refused: a misspelt one could have been meant to change something.
  init(_ value: JSONValue) {
    guard value.isObject else {
      self = .invalid(RPCError(.invalidRequest, "A call is a JSON object."), id: .null)
      return
    }
    var envelope = Envelope()
    for (key, value) in value.members { envelope.take(key, value) }
    self = envelope.entry
  }
}

/// The members of a call's object while they are looked at.
private struct Envelope {
  private var method: JSONValue?
  private var params: JSONValue?
  private var id: CallID?
  private var hasVersion = false
  private var problem: String?

  mutating func take(_ key: JSONValue, _ value: JSONValue) {
    if key.equals("jsonrpc") {
      hasVersion = value.equals("2.0")
    } else if key.equals("method") {
      method = value
    } else if key.equals("params") {
      params = value
    } else if key.equals("id") {
      id = CallID(value)
      if id == nil { note("The id of a call is a string, a number or null.") }
    } else {
      note("A call has no member but jsonrpc, method, params and id.")
    }
  }

  private mutating func note(_ sentence: String) {
    problem = problem ?? sentence
  }

  var entry: MessageEntry {
    if let problem { return invalid(problem) }
    guard hasVersion else { return invalid("The member jsonrpc must be exactly \"2.0\".") }
    guard let method, method.isString else { return invalid("The member method must be a string.") }
    if let params, !params.isObject, !params.isArray {
      return invalid("The member params must be an object, or be left out.")
    }
    return .call(Call(method: method, params: params, id: id))
  }

  private func invalid(_ sentence: String) -> MessageEntry {
    .invalid(RPCError(.invalidRequest, sentence), id: id ?? .null)
  }
}
