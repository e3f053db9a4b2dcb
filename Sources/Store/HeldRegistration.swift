import Accounts
import Crypto
import Vault

/// Details of somebody who is not a user yet, opened.
public struct HeldRegistration: Sendable {
  public let registration: RegistrationID
  /// Counts the sealings; whoever changes the details on the strength of this makes sure that it is still the same.
  public var version: Int64
  public let claims: Claims
  /// How far the person may be linked by an address when the registration is completed.
  public let link: SignInPolicy.Link
  public let attempts: Int
  public let lastReason: ExactText?
  public let heldAt: Timestamp
  /// When any of it was said last.
  public let saidAt: Timestamp
  /// When an address was said last; nil if none was.
  public let emailSaidAt: Timestamp?
  public let expiresAt: Timestamp

  public init(
    registration: RegistrationID, version: Int64, claims: Claims, link: SignInPolicy.Link, attempts: Int = 0,
    lastReason: ExactText? = nil, heldAt: Timestamp, saidAt: Timestamp, emailSaidAt: Timestamp?, expiresAt: Timestamp
  ) {
    self.registration = registration
    self.version = version
    self.claims = claims
    self.link = link
    self.attempts = attempts
    self.lastReason = lastReason
    self.heldAt = heldAt
    self.saidAt = saidAt
    self.emailSaidAt = emailSaidAt
    self.expiresAt = expiresAt
  }

  /// These details and what a later sign-in of the same identity says.
  public func resumed(by claims: Claims) -> Claims { claims.resuming(self.claims) }

  /// What is held once it is known what else was said, before these details or after them: what was said last goes before
  /// the rest, and so does the address that was said last.
  ///
  /// - Parameter other: of the same identity; of what is not said in words, these stay.
  public func adding(_ other: HeldRegistration) -> HeldRegistration {
    let isLater = other.saidAt >= saidAt
    let both = isLater ? other.claims.resuming(claims) : claims.resuming(other.claims)
    let isAddressLater = other.emailSaidAt.map { said in emailSaidAt.map { said >= $0 } ?? true } ?? false
    let email = isAddressLater ? other.claims.email ?? claims.email : claims.email ?? other.claims.email
    return HeldRegistration(
      registration: registration, version: version,
      claims: Claims(identity: claims.identity, email: email, profile: both.profile),
      link: isLater ? other.link : link, attempts: attempts, lastReason: lastReason, heldAt: heldAt,
      saidAt: max(saidAt, other.saidAt), emailSaidAt: [emailSaidAt, other.emailSaidAt].compactMap(\.self).max(),
      expiresAt: isLater ? other.expiresAt : expiresAt)
  }
}

extension Claims {
  /// These claims with what was known of the person before where they say nothing.
  public func resuming(_ earlier: Claims) -> Claims {
    resuming(earlier, details: DetailsText.resuming(profile.details, earlier.profile.details))
  }
}

/// What is stored of a registration: sealed details, or who it became.
public struct StoredRegistration: Sendable {
  public enum State: Sendable {
    case held([UInt8])
    case completed(UserID)
  }

  public let registration: RegistrationID
  public let version: Int64
  /// The number of the namespace.
  public let namespace: Int32
  public let identity: IdentityKey
  public let link: SignInPolicy.Link
  public let attempts: Int
  public let lastReason: ExactText?
  public let heldAt: Timestamp
  public let saidAt: Timestamp
  public let emailSaidAt: Timestamp?
  public let expiresAt: Timestamp
  public let state: State

  public var key: StoredKey { StoredKey(namespace: namespace, subject: identity.subject) }

  /// The user whom it became; nil while it is held.
  public var user: UserID? {
    if case .completed(let user) = state { user } else { nil }
  }

  /// Whether it was held and is so no longer, also while nobody has dropped it yet.
  public func isExpired(at now: Timestamp) -> Bool { user == nil && expiresAt <= now }

  /// Nil for one that is completed.
  ///
  /// - Throws: what ``KeyRing/open(_:in:)`` throws.
  public func opened(by sealer: Sealer) throws(SealingError) -> HeldRegistration? {
    guard case .held(let sealed) = state else { return nil }
    return HeldRegistration(
      registration: registration, version: version, claims: try claims(sealed, sealer), link: link,
      attempts: attempts, lastReason: lastReason, heldAt: heldAt, saidAt: saidAt, emailSaidAt: emailSaidAt,
      expiresAt: expiresAt)
  }

  private func claims(_ sealed: [UInt8], _ sealer: Sealer) throws(SealingError) -> Claims {
    let text = try sealer.keyRing.open(
      try SealedRecord(sealed),
      in: .registration(registration, of: identity, version: version, databaseID: sealer.databaseID))
    return try ClaimsText.read(text, of: identity)
  }
}

/// Details sealed for their row.
public struct SealedClaims: Sendable {
  public let record: SealedRecord
  /// What the address in them is found by.
  public let emailIndex: BlindIndex?
}

extension Sealer {
  public func seal(
    _ claims: Claims, of registration: RegistrationID, version: Int64
  ) throws(SealingError) -> SealedClaims {
    SealedClaims(
      record: try keyRing.seal(
        ClaimsText.write(claims),
        in: .registration(registration, of: claims.identity, version: version, databaseID: databaseID)),
      emailIndex: try emailIndex(of: claims.email?.address))
  }

  /// What the address in a registration's details is stored to be found by, under the primary key; nil where they have
  /// none.
  ///
  /// - Parameter details: the opened JSON text.
  /// - Throws: `.invalid` for a text that is no registration's.
  public func emailIndex(inDetails details: SecretBytes) throws(SealingError) -> BlindIndex? {
    try emailIndex(of: try ClaimsText.address(in: details))
  }

  private func emailIndex(of address: EmailAddress?) throws(SealingError) -> BlindIndex? {
    guard let address else { return nil }
    return try keyRing.blindIndex(
      of: SecretBytes(copying: address.canonical.string.utf8), field: Self.emailField, databaseID: databaseID)
  }

  /// Under which codes an address may be found, whichever key sealed the details.
  public func emailIndexes(of address: EmailAddress) throws(SealingError) -> [BlindIndex] {
    try keyRing.blindIndexes(
      of: SecretBytes(copying: address.canonical.string.utf8), field: Self.emailField, databaseID: databaseID)
  }

  /// Part of what is stored: with another name nothing is found any more.
  private static var emailField: ExactText { "kith.registration.email" }
}
