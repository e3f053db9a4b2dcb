import Accounts

extension TextLimits {
  /// The name of a provider: a short word of the configuration.
  static let provider = TextLimits.text(bytes: 1...64)
  static let tenant = TextLimits.text(bytes: 1...Namespace.tenantBytesMax)
  static let subject = TextLimits.text(bytes: 1...Subject.bytesMax)
  /// An address as a person writes it, before it is brought into its canonical form (at most 254 bytes).
  static let email = TextLimits.text(bytes: 1...320)
  /// The opaque place at which a list goes on.
  static let place = TextLimits.text(bytes: 1...512)
  /// Why an administrator did something: a few sentences for the audit.
  static let reason = TextLimits.line(characters: 1...1000)
}
