import Accounts

/// An e-mail address of a user.
public struct EmailShape: Shape, Equatable {
  public static let title = "Email"

  public var email: ExactText = ""
  public var canonical: ExactText = ""
  public var verified = false
  public var sources: [ExactText] = []
  public var addedAt = Timestamp.unset

  public init() {}

  public init(email: ExactText, canonical: ExactText, verified: Bool, sources: [ExactText], addedAt: Timestamp) {
    self.email = email
    self.canonical = canonical
    self.verified = verified
    self.sources = sources
    self.addedAt = addedAt
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("email", &email, .email, "The address as it was given.")
    try visitor.member("canonical", &canonical, .email, "The form in which addresses are compared.")
    try visitor.member("verified", &verified, "Whether at least one source vouches for it.")
    try visitor.member(
      "sources", &sources, .items(0...1000, .text(bytes: 1...64)),
      "What vouches for it: ids of identities, or email_token.")
    try visitor.member("added_at", &addedAt, "When the user got it.")
  }
}
