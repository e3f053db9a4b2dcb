import Accounts

/// What is kept with a secret: members that the parameters have of every method that writes credentials.
public struct CredentialContentMembers: Equatable, Sendable {
  public static let secretBytesMax = 64 * 1024
  public static let labelBytesMax = 1024
  public static let attributesBytesMax = 16 * 1024

  public var label: ExactText?
  public var userID: UserID?
  public var expiresAt: Timestamp?
  public var attributes: RawJSON?

  public init(
    label: ExactText? = nil, userID: UserID? = nil, expiresAt: Timestamp? = nil, attributes: RawJSON? = nil
  ) {
    self.label = label
    self.userID = userID
    self.expiresAt = expiresAt
    self.attributes = attributes
  }

  mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("label", &label, .credentialLabel, "What people call it.")
    try visitor.member("user_id", &userID, "The user it belongs to; a former id means the survivor.")
    try visitor.member("expires_at", &expiresAt, "From when on it counts as gone.")
    try visitor.member(
      "attributes", &attributes, .object(bytesMax: Self.attributesBytesMax), "Whatever else is to be known; not secret."
    )
  }
}

/// A credential to be kept whole.
public struct WholeCredentialParameters: Shape, Equatable {
  public static let title = "WholeCredential"

  public var place = CredentialPlaceMembers()
  public var secret = SecretValue(copying: [])
  public var content = CredentialContentMembers()

  public init() {}

  public init(
    place: CredentialPlaceMembers, secret: SecretValue, content: CredentialContentMembers = CredentialContentMembers()
  ) {
    self.place = place
    self.secret = secret
    self.content = content
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try place.members(&visitor)
    try visitor.member("secret", &secret, .credential, "What is to be kept sealed.")
    try content.members(&visitor)
  }
}
