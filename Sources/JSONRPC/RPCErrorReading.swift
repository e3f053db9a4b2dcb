import JSON

extension RPCError {
  /// Reads an error object, as the caller's side receives it.
  ///
  /// - Returns: nil if it is none that this version knows.
  public init?(reading object: JSONValue) {
    guard let data = object.member("data"), let word = data.member("reason")?.string,
      let reason = ErrorReason(rawValue: word)
    else { return nil }
    self.init(
      reason, object.member("message")?.string, hint: data.member("hint")?.string,
      requestID: data.member("request_id")?.string, details: Self.details(in: data))
    isRetryable = data.member("retryable")?.bool ?? reason.isRetryable
  }

  private static func details(in data: JSONValue) -> [ErrorDetail] {
    var details: [ErrorDetail] = []
    if let path = data.member("path")?.string { details.append(.path(path)) }
    if let problem = data.member("problem")?.string.flatMap(ParameterProblem.init) { details.append(.problem(problem)) }
    if let name = data.member("limit")?.string.flatMap(LimitName.init), let max = data.member("max")?.integer {
      details.append(.limit(name, max: Int(max)))
    }
    if let wait = data.member("retry_after_ms")?.integer { details.append(.retryAfter(milliseconds: Int(wait))) }
    if let id = data.member("user_id")?.string { details.append(.userID(id)) }
    if let id = data.member("later_merge_id")?.string { details.append(.laterMergeID(id)) }
    if let cursor = data.member("cursor")?.string { details.append(.cursor(cursor)) }
    if let isKept = data.member("kept")?.bool { details.append(.kept(isKept)) }
    return details
  }
}
