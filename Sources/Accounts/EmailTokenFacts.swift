/// What a token that is to prove an address is found to be.
public struct EmailTokenFacts: Hashable, Sendable {
  /// Whether it is the one that was given out last for this address of this user.
  public let isRight: Bool
  /// Whether nothing happened since it was made that makes the user's older tokens worthless.
  public let isOfThisEpoch: Bool
  public let expiresAt: Timestamp
  public let isUsed: Bool

  public init(isRight: Bool, isOfThisEpoch: Bool, expiresAt: Timestamp, isUsed: Bool) {
    self.isRight = isRight
    self.isOfThisEpoch = isOfThisEpoch
    self.expiresAt = expiresAt
    self.isUsed = isUsed
  }

  /// Sees whether it proves the address. How it stands with a token is told only to who has it.
  ///
  /// - Throws: ``Refusal/proofRejected``, ``Refusal/challengeUsed``, or ``Refusal/challengeExpired``.
  public func check(at now: Timestamp) throws(Refusal) {
    guard isRight, isOfThisEpoch else { throw .proofRejected }
    guard !isUsed else { throw .challengeUsed }
    guard now < expiresAt else { throw .challengeExpired }
  }
}
