import Accounts

/// What is to show that somebody is the user of whom a challenge asked: one of three.
public struct ProofShape: Shape, Equatable {
  public static let title = "Proof"

  /// What shows it.
  public enum Kind: Equatable, Sendable {
    /// An identity that the user has, and that they have just signed in with.
    case claims(ClaimsShape)
    /// The caller has signed the user in itself.
    case authenticated(UserID)
  }

  public private(set) var claims: ClaimsShape?
  public private(set) var evidence: RawJSON?
  public private(set) var userID: UserID?
  public private(set) var authenticated: Bool?

  public init() {}

  public init(_ kind: Kind) {
    switch kind {
    case .claims(let claims): self.claims = claims
    case .authenticated(let user):
      userID = user
      authenticated = true
    }
  }

  /// nil only before decoding: a proof that was decoded is one of them.
  public var kind: Kind? {
    switch (claims, userID, authenticated) {
    case (let claims?, nil, nil): .claims(claims)
    case (nil, let userID?, true?): .authenticated(userID)
    default: nil
    }
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member(
      "claims", &claims, "Claims of an identity that the user has already; the caller vouches for them.")
    try visitor.member("evidence", &evidence, .evidence, "Not served by this version.")
    try visitor.member("user_id", &userID, "With authenticated: the user whom the caller has signed in.")
    try visitor.member("authenticated", &authenticated, "True: the caller's word that this user is signed in.")
  }

  public func contradiction() -> ShapeProblem? {
    if evidence != nil { return .evidenceIsNotServed }
    if authenticated == false { return ShapeProblem(.choice, at: "authenticated", "must be true") }
    return kind == nil
      ? ShapeProblem(.combination, "must have either claims, or user_id and authenticated, and no more of these") : nil
  }
}

extension RawJSONLimits {
  /// What a provider gave: a token or a code, and what goes with it.
  static let evidence = RawJSONLimits.object(bytesMax: 64 * 1024)
}

extension ShapeProblem {
  static let evidenceIsNotServed = ShapeProblem(.choice, at: "evidence", "is not served by this version of Kith")
}
