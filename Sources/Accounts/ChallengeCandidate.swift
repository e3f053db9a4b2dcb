/// A user whom the person behind an unknown identity may turn out to be, once they prove it.
public struct ChallengeCandidate: Hashable, Sendable {
  public let user: UserID
  public let providers: [Provider]

  /// The user's epoch when the challenge was made; the challenge is worthless under another.
  public let epoch: Int64

  init(_ holder: AddressHolder) {
    user = holder.user
    providers = holder.providers
    epoch = holder.epoch
  }
}
