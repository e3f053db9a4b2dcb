import Accounts

/// A secret that is kept for apps, and what is known of it.
public struct CredentialShape: Shape, Equatable {
  public static let title = "Credential"

  public var place = CredentialPlaceMembers()
  public var content = CredentialContentMembers()
  public var version = 0
  public var createdAt = Timestamp.unset
  public var updatedAt = Timestamp.unset
  /// Only from `credential.get`.
  public var secret: SecretValue?

  public init() {}

  public init(
    place: CredentialPlaceMembers, content: CredentialContentMembers, version: Int, createdAt: Timestamp,
    updatedAt: Timestamp, secret: SecretValue? = nil
  ) {
    self.place = place
    self.content = content
    self.version = version
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.secret = secret
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try place.members(&visitor)
    try content.members(&visitor)
    try visitor.member("version", &version, .range(1...Int.max), "Counts its changes.")
    try visitor.member("created_at", &createdAt, "When it was added.")
    try visitor.member("updated_at", &updatedAt, "When it was changed last.")
    try visitor.member("secret", &secret, .credential, "What is kept sealed; only from credential.get.")
  }
}

/// A credential as it is after a call.
public struct CredentialAnswer: Shape, Equatable {
  public static let title = "CredentialAnswer"

  public var credential = CredentialShape()

  public init() {}

  public init(credential: CredentialShape) {
    self.credential = credential
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("credential", &credential, "The credential as it is now.")
  }
}
