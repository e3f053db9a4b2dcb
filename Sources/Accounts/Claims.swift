/// What is known of a person at this sign-in, asserted by a backend or derived from evidence.
public struct Claims: Hashable, Sendable {
  public let identity: IdentityKey
  public let email: ReportedEmail?
  public let profile: Profile

  public init(identity: IdentityKey, email: ReportedEmail? = nil, profile: Profile = Profile()) {
    self.identity = identity
    self.email = email
    self.profile = profile
  }

  /// These claims with what was known of the person before where they say nothing, or of a name less than before.
  ///
  /// An address that is reported now stands for itself, verified or not: what the provider said of another one, or of the
  /// same one earlier, holds no longer.
  ///
  /// - Parameter details: those of both, put together; this module does not read them.
  public func resuming(_ earlier: Claims, details: ExactText?) -> Claims {
    var profile = profile
    profile.details = details
    if profile.name.partCount < earlier.profile.name.partCount { profile.name = earlier.profile.name }
    return Claims(identity: identity, email: email ?? earlier.email, profile: profile.filled(from: earlier.profile))
  }

  /// Whether they say anything beyond who it is.
  public var haveDetails: Bool { email != nil || !profile.isEmpty }
}
