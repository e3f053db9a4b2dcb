/// A challenge as it was made, and what has become of it.
public struct ChallengeFacts: Hashable, Sendable {
  /// So many wrong proofs use it up.
  public static let wrongProofsMax = 5

  /// A user of whom it asked, and their epoch at that time.
  public struct Candidate: Hashable, Sendable {
    public let user: UserID
    public let epoch: Int64

    public init(user: UserID, epoch: Int64) {
      self.user = user
      self.epoch = epoch
    }
  }

  public let caller: CallerName
  public let candidates: [Candidate]
  public let expiresAt: Timestamp
  public let isUsed: Bool
  public let wrongProofs: Int

  public init(caller: CallerName, candidates: [Candidate], expiresAt: Timestamp, isUsed: Bool, wrongProofs: Int) {
    self.caller = caller
    self.candidates = candidates
    self.expiresAt = expiresAt
    self.isUsed = isUsed
    self.wrongProofs = wrongProofs
  }

  /// Sees whether a caller may answer it now.
  ///
  /// - Throws: ``Refusal/challengeMismatch`` for another caller, ``Refusal/challengeUsed``, or ``Refusal/challengeExpired``.
  public func checkOpen(for caller: CallerName, at now: Timestamp) throws(Refusal) {
    guard caller == self.caller else { throw .challengeMismatch }
    guard !isUsed, wrongProofs < Self.wrongProofsMax else { throw .challengeUsed }
    guard now < expiresAt else { throw .challengeExpired }
  }
}
