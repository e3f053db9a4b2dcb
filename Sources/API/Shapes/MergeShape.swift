import Accounts

/// How many of each went with a merge, or would.
public struct MergeCountsShape: Shape, Equatable {
  public static let title = "MergeCounts"

  public var identities = 0
  public var emails = 0
  public var credentials = 0
  public var registrations = 0

  public init() {}

  public init(identities: Int, emails: Int, credentials: Int, registrations: Int) {
    self.identities = identities
    self.emails = emails
    self.credentials = credentials
    self.registrations = registrations
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("identities", &identities, .count, "Identities.")
    try visitor.member("emails", &emails, .count, "E-mail addresses, those included that the survivor had as well.")
    try visitor.member("credentials", &credentials, .count, "Credentials, of all access groups.")
    try visitor.member("registrations", &registrations, .count, "Completed registrations, which lead to the survivor.")
  }
}

/// Whether a merge stands.
public enum MergeState: String, WireWord {
  case done
  case undone
}

/// Two users who were made one.
public struct MergeShape: Shape, Equatable {
  public static let title = "Merge"

  public var mergeID = MergeID.unset
  public var survivor = UserID.unset
  public var absorbed = UserID.unset
  public var state = MergeState.done
  public var reason: ExactText = ""
  public var by: ExactText = ""
  public var at = Timestamp.unset
  public var moved = MergeCountsShape()
  public var credentialsLeft: Int?
  public var undoneAt: Timestamp?
  public var undoneBy: ExactText?
  public var undoReason: ExactText?

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("merge_id", &mergeID, "The merge's id.")
    try visitor.member("survivor", &survivor, "The user who is both now.")
    try visitor.member("absorbed", &absorbed, "The user whose id leads to the survivor.")
    try visitor.member("state", &state, "Whether it stands.")
    try visitor.member("reason", &reason, .reason, "Why it was done.")
    try visitor.member("by", &by, .text(bytes: 1...255), "The name of the caller.")
    try visitor.member("at", &at, "When it was done.")
    try visitor.member("moved", &moved, "How much came to the survivor.")
    try visitor.member(
      "credentials_left", &credentialsLeft, .count,
      "How many credentials could not be opened and so stayed with the absorbed user; absent for none.")
    try visitor.member("undone_at", &undoneAt, "When it was undone.")
    try visitor.member("undone_by", &undoneBy, .text(bytes: 1...255), "The name of the caller who undid it.")
    try visitor.member("undo_reason", &undoReason, .reason, "Why it was undone.")
  }
}
