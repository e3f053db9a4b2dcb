/// An address as a provider tells it of one identity, whether or not its word counts.
public struct ReportedEmail: Hashable, Sendable {
  public let address: EmailAddress

  /// Whether the provider calls it verified; what is not said is not verified.
  public let isVerified: Bool

  /// Whether it is a relay address that hides the person's own; nil when the provider does not say.
  public let isPrivate: Bool?

  public init(_ address: EmailAddress, isVerified: Bool, isPrivate: Bool? = nil) {
    self.address = address
    self.isVerified = isVerified
    self.isPrivate = isPrivate
  }
}
