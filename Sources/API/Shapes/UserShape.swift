import Accounts

/// One person as the apps know them.
public struct UserShape: Shape, Equatable {
  public static let title = "User"

  public var id = UserID.unset
  public var status = UserStatus.active
  public var createdAt = Timestamp.unset
  public var profile: ProfileShape?
  public var emails: [EmailShape]?
  public var identities: [IdentityShape]?

  public init() {}

  public init(
    id: UserID, status: UserStatus, createdAt: Timestamp, profile: ProfileShape? = nil, emails: [EmailShape]? = nil,
    identities: [IdentityShape]? = nil
  ) {
    self.id = id
    self.status = status
    self.createdAt = createdAt
    self.profile = profile
    self.emails = emails
    self.identities = identities
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, "The user's id; never used again for anybody else.")
    try visitor.member("status", &status, "Where the user stands.")
    try visitor.member("created_at", &createdAt, "When the user was made.")
    try visitor.member("profile", &profile, "What is known of the person, if asked for.")
    try visitor.member("emails", &emails, .items(0...1000), "The user's addresses, if asked for.")
    try visitor.member("identities", &identities, .items(0...1000), "The user's identities, if asked for.")
  }
}
