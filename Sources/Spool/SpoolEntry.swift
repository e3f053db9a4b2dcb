import Accounts
import Crypto

/// What one sign-in brought of a person who may be nobody's user yet: as much as it takes to hold it as a registration.
public struct SpoolEntry: Sendable {
  /// Names the registration that it becomes, so that it becomes one only, however often it is delivered.
  public let id: RegistrationID
  public let identity: IdentityKey
  /// How far the person may be linked by an address, as a word of the wire.
  public let link: ExactText
  /// Through whom the details came.
  public let caller: CallerName
  /// What was said later goes before what was said earlier.
  public let receivedAt: Timestamp
  /// From when on nobody may keep the details.
  public let expiresAt: Timestamp
  /// The details as JSON text, which nobody looks into here.
  public let claims: SecretBytes

  public init(
    id: RegistrationID, identity: IdentityKey, link: ExactText, caller: CallerName, receivedAt: Timestamp,
    expiresAt: Timestamp, claims: SecretBytes
  ) {
    self.id = id
    self.identity = identity
    self.link = link
    self.caller = caller
    self.receivedAt = receivedAt
    self.expiresAt = expiresAt
    self.claims = claims
  }

  /// The same, said at another time.
  func said(at time: Timestamp, until expiresAt: Timestamp) -> SpoolEntry {
    SpoolEntry(
      id: id, identity: identity, link: link, caller: caller, receivedAt: time, expiresAt: expiresAt, claims: claims)
  }
}

extension SpoolEntry: Equatable {}
