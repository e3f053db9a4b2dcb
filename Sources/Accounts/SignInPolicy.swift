/// How far a sign-in may go by itself, from the call's choices and the namespace's settings.
public struct SignInPolicy: Hashable, Sendable {
  /// What happens to a person whom nobody knows.
  public enum Register: String, Hashable, Sendable, CaseIterable {
    case auto
    /// Their details are kept, sealed, until the app has registered them.
    case hold
    case never
  }

  /// What happens when somebody else's verified address is this person's too.
  public enum Link: String, Hashable, Sendable, CaseIterable {
    case verifiedEmail = "verified_email"
    /// They have to prove that it is they, however well the address is vouched for.
    case confirm
    case never
  }

  public let register: Register
  public let link: Link

  /// Whether the word of this namespace's provider that an address is verified counts.
  public let trustsEmail: Bool

  public init(register: Register, link: Link, trustsEmail: Bool) {
    self.register = register
    self.link = link
    self.trustsEmail = trustsEmail
  }

  /// Whether what a provider says makes the address a proven one.
  public func vouches(for email: ReportedEmail) -> Bool {
    trustsEmail && email.isVerified
  }

  /// Whether such an address attaches the identity to its holder without any other proof.
  public func attaches(by email: ReportedEmail) -> Bool {
    link == .verifiedEmail && vouches(for: email)
  }
}
