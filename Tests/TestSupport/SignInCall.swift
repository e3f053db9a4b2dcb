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

  /// Attaches an identity to a user on this caller's word.
  ///
  /// - Parameter more: members beside the claims, each with a comma before it.
  public func link(_ claims: SignInCall, to user: String?, _ more: String = "") async throws -> WireAnswer {
    try await call("identity.link", #"{"user_id":"\#(user ?? "")","claims":\#(claims.json)\#(more)}"#)
  }

  public func unlink(_ identity: String?, from user: String?, _ more: String = "") async throws -> WireAnswer {
    try await call(
      "identity.unlink", #"{"user_id":"\#(user ?? "")","identity_id":"\#(identity ?? "")"\#(more)}"#)
  }

  /// Answers a challenge.
  ///
  /// - Parameter proof: the proof as JSON.
  public func confirm(_ challenge: String?, _ proof: String, _ more: String = "") async throws -> WireAnswer {
    try await call("link.confirm", #"{"challenge_id":"\#(challenge ?? "")","proof":\#(proof)\#(more)}"#)
  }

  /// Changes an address: `email.add`, `email.verify` or `email.remove`.
  public func email(
    _ verb: String, _ email: String, of user: String?, _ more: String = ""
  ) async throws -> WireAnswer {
    try await call("email.\(verb)", #"{"user_id":"\#(user ?? "")","email":"\#(email)"\#(more)}"#)
  }

  /// The addresses of a user: canonical form, and whether it is verified.
  public func emails(of user: String?) async throws -> [String: Bool] {
    let list = try await call("email.list", #"{"user_id":"\#(user ?? "")"}"#)
    return (list.result?["items"]?.elements ?? []).reduce(into: [:]) { emails, item in
      emails[item["canonical"]?.string ?? "?"] = item["verified"]?.bool
    }
  }
}

/// What shows that somebody is the user of whom a challenge asked, as JSON.
public enum Proof {
  public static func claims(_ provider: String, _ subject: String) -> String {
    #"{"claims":\#(SignInCall(provider, subject).json)}"#
  }

  public static func word(_ user: String?) -> String {
    #"{"user_id":"\#(user ?? "")","authenticated":true}"#
  }
}

extension WireAnswer {
  /// The id of the challenge in the answer to a sign-in.
  public var challengeID: String? { result?["challenge"]?["id"]?.string }
  public var identityID: String? { result?["identity"]?["id"]?.string }
}
