import Accounts

/// Proof, good once and for a while, that the caller may go on with one identity.
public struct ChallengeShape: Shape, Equatable {
  public static let title = "Challenge"

  public var id = ChallengeID.unset
  public var expiresAt = Timestamp.unset
  public var candidates: [CandidateShape] = []

  public init() {}

  public init(id: ChallengeID, expiresAt: Timestamp, candidates: [CandidateShape]) {
    self.id = id
    self.expiresAt = expiresAt
    self.candidates = candidates
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, "The challenge's id.")
    try visitor.member("expires_at", &expiresAt, "Until when it is good.")
    try visitor.member("candidates", &candidates, .items(1...100), "The users of whom one may be this person.")
  }
}
