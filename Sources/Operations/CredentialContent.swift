import Accounts
import Crypto

/// What a caller gives to be kept as a credential, or to replace of one. Its limits are checked by whoever read it.
public struct CredentialContent: Sendable {
  public var secret: SecretBytes?
  public var label: ExactText?
  /// Also a former id: the survivor is kept.
  public var user: UserID?
  public var expiresAt: Timestamp?
  /// The text of a JSON object.
  public var attributes: ExactText?

  public init(
    secret: SecretBytes?, label: ExactText? = nil, user: UserID? = nil, expiresAt: Timestamp? = nil,
    attributes: ExactText? = nil
  ) {
    self.secret = secret
    self.label = label
    self.user = user
    self.expiresAt = expiresAt
    self.attributes = attributes
  }
}

/// What a credential can do without.
public enum CredentialPart: Hashable, Sendable {
  case label
  case user
  case expiresAt
  case attributes
}
