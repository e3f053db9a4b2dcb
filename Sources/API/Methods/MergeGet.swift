import Accounts
import JSONRPC

/// Looks at one merge.
public enum MergeGet: Method {
  public static let name: StaticString = "merge.get"
  public static let summary: StaticString = "Tells of one merge, with what came along."
  public static let description: StaticString = "Also of one that was undone."
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "MergeGetParameters"

    public var mergeID = MergeID.unset

    public init() {}

    public init(mergeID: MergeID) {
      self.mergeID = mergeID
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("merge_id", &mergeID, "Which merge.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "MergeGetResult"

    public var merge = MergeShape()
    public var identities: [IdentityID] = []
    public var emails: [ExactText] = []
    public var credentials: [CredentialPlaceParameters] = []
    public var registrations: [RegistrationID] = []
    public var formerIDs: [UserID] = []

    public init() {}

    public init(merge: MergeShape, identities: [IdentityID], formerIDs: [UserID]) {
      self.merge = merge
      self.identities = identities
      self.formerIDs = formerIDs
    }

    /// Those of the merge, and then what came along.
    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try merge.members(&visitor)
      try visitor.member(
        "identities", &identities, .items(0...1000), "The identities that came, also those that are gone since.")
      try visitor.member(
        "emails", &emails, .items(0...1000, .email),
        "The addresses that came, as they had been given; none once it is undone or one of the two is erased.")
      try visitor.member(
        "credentials", &credentials, .items(0...1000),
        "The credentials that came and are still there, in access groups of the caller's.")
      try visitor.member(
        "registrations", &registrations, .items(0...1000),
        "The completed registrations of the absorbed user, which lead to the survivor while the merge stands.")
      try visitor.member(
        "former_ids", &formerIDs, .items(0...1000), "Users who had been merged into the absorbed one before.")
    }
  }
}
