/// The parameters of `signin.resolve`, written as a backend would.
public struct SignInCall: Sendable {
  public var provider: String
  public var subject: String
  public var email: String?
  public var isVerified: Bool?
  /// Further members, as JSON: `"register":"never"`.
  public var more: [String]

  public init(_ provider: String, _ subject: String, _ email: String? = nil, verified: Bool? = nil, _ more: String...) {
    self.provider = provider
    self.subject = subject
    self.email = email
    isVerified = verified
    self.more = more
  }

  public var json: String {
    let members =
      [#""provider":"\#(provider)""#, #""subject":"\#(subject)""#] + (email.map { [#""email":"\#($0)""#] } ?? [])
      + (isVerified.map { [#""email_verified":\#($0)"#] } ?? []) + more
    return "{\(members.joined(separator: ","))}"
  }
}

extension TestPeer {
  /// Signs somebody in and waits for the answer.
  public func signIn(
    _ provider: String, _ subject: String, _ email: String? = nil, verified: Bool? = nil, _ more: String...
  ) async throws -> WireAnswer {
    var call = SignInCall(provider, subject, email, verified: verified)
    call.more = more
    return try await self.call("signin.resolve", call.json)
  }

  /// The addresses of a user: canonical form, and whether it is verified.
  public func emails(of user: String?) async throws -> [String: Bool] {
    let list = try await call("email.list", #"{"user_id":"\#(user ?? "")"}"#)
    return (list.result?["items"]?.elements ?? []).reduce(into: [:]) { emails, item in
      emails[item["canonical"]?.string ?? "?"] = item["verified"]?.bool
    }
  }
}
