import Accounts

extension TextLimits {
  /// The name of a provider: a short word of the configuration.
  static let provider = TextLimits.text(bytes: 1...64)
  static let tenant = TextLimits.text(bytes: 1...Namespace.tenantBytesMax)
  static let subject = TextLimits.text(bytes: 1...Subject.bytesMax)
  /// An address as a person writes it, before it is brought into its canonical form (at most 254 bytes).
  static let email = TextLimits.text(bytes: 1...320)
  /// The opaque place at which a list goes on; the longest are made of the three names of a credential.
  static let place = TextLimits.text(bytes: 1...1536)
  static let consumer = TextLimits.line(characters: 1...ConsumerName.charactersMax)
  /// How far somebody is done with the events.
  static let cursor = TextLimits.text(bytes: 1...64)
  /// Each of the three by which a credential is known.
  static let credentialName = TextLimits.text(bytes: 1...CredentialPlace.bytesMax)
  static let credentialLabel = TextLimits.text(bytes: 1...CredentialContentMembers.labelBytesMax)
  /// The opaque text of a plan to merge; what is longer is none.
  static let planToken = TextLimits.text(bytes: 1...256)
  /// Why an administrator did something: a few sentences for the audit.
  static let reason = TextLimits.line(characters: 1...1000)
}

extension SecretLimits {
  static let credential = SecretLimits.bytes(1...CredentialContentMembers.secretBytesMax)
}
