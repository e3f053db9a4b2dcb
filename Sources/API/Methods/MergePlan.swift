import Accounts
import JSONRPC

/// Tells what would happen if two users became one.
public enum MergePlan: Method {
  public static let name: StaticString = "merge.plan"
  public static let summary: StaticString = "Tells what a merge of two users would do, changing nothing."
  public static let description: StaticString = """
    The older user survives unless survivor says otherwise; a former id means its survivor. The plan holds for 15 minutes,
    and only while identities, addresses, credentials, registrations and status of both stay as they are.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .userErased, .tooMany, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "MergePlanParameters"

    public var users: [UserID] = []
    public var survivor: UserID?

    public init() {}

    public init(users: [UserID], survivor: UserID? = nil) {
      self.users = users
      self.survivor = survivor
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("users", &users, .items(2...2), "The two users.")
      try visitor.member("survivor", &survivor, "Which of the two goes on; the older one if left out.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "MergePlan"

    public var planToken: ExactText = ""
    public var expiresAt = Timestamp.unset
    public var survivor = UserID.unset
    public var absorbed = UserID.unset
    public var moves = MergeMovesShape()
    public var conflicts: [MergeConflictShape] = []
    public var consumers: [ConsumerLagShape] = []

    public init() {}

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("plan_token", &planToken, .planToken, "What merge.run takes to do exactly this.")
      try visitor.member("expires_at", &expiresAt, "Until when it can be done.")
      try visitor.member("survivor", &survivor, "The user who would be both.")
      try visitor.member("absorbed", &absorbed, "The user whose id would lead to the survivor.")
      try visitor.member("moves", &moves, "What would come to the survivor.")
      try visitor.member(
        "conflicts", &conflicts, .items(0...3000),
        "What both have, and what would not come along; nothing of it stands in the way.")
      try visitor.member(
        "consumers", &consumers, .items(0...1000), "Who follows events and has not seen all about the two yet.")
    }
  }
}

/// What a merge would bring to the survivor: the first 1000 of each, and how many there are.
public struct MergeMovesShape: Shape, Equatable {
  public static let title = "MergeMoves"

  public var counts = MergeCountsShape()
  public var identities: [IdentityShape] = []
  public var emails: [EmailShape] = []
  public var credentials: [CredentialPlaceParameters] = []
  public var registrations: [RegistrationID] = []

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("counts", &counts, "How many there are of each.")
    try visitor.member("identities", &identities, .items(0...1000), "The identities.")
    try visitor.member("emails", &emails, .items(0...1000), "The addresses.")
    try visitor.member(
      "credentials", &credentials, .items(0...1000), "The credentials in access groups of the caller's.")
    try visitor.member("registrations", &registrations, .items(0...1000), "The completed registrations.")
  }
}

/// What somebody should know before two users become one.
public struct MergeConflictShape: Shape, Equatable {
  public static let title = "MergeConflict"

  public var code = MergeConflictCode.nameDiffers
  public var message: ExactText = ""
  public var userID: UserID?
  public var email: ExactText?
  public var credential: CredentialPlaceParameters?

  public init() {}

  public init(
    _ code: MergeConflictCode, _ message: ExactText, userID: UserID? = nil, email: ExactText? = nil,
    credential: CredentialPlaceParameters? = nil
  ) {
    self.code = code
    self.message = message
    self.userID = userID
    self.email = email
    self.credential = credential
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("code", &code, "What it is, for programs.")
    try visitor.member("message", &message, .text(bytes: 1...2000), "The same as a sentence for a person.")
    try visitor.member("user_id", &userID, "Which of the two, if it is about one.")
    try visitor.member("email", &email, .email, "The address that it is about.")
    try visitor.member("credential", &credential, "The credential that it is about.")
  }
}

/// What kind of thing both users have.
public enum MergeConflictCode: String, WireWord {
  case nameDiffers = "name_differs"
  case nicknameDiffers = "nickname_differs"
  case pictureDiffers = "picture_differs"
  case localeDiffers = "locale_differs"
  case detailsDiffer = "details_differ"
  case userDisabled = "user_disabled"
  case emailShared = "email_shared"
  case credentialUnreadable = "credential_unreadable"
}

/// Who follows events, and how far behind they are.
public struct ConsumerLagShape: Shape, Equatable {
  public static let title = "ConsumerLag"

  public var caller: ExactText = ""
  public var name: ExactText = ""
  public var behind = 0

  public init() {}

  public init(caller: ExactText, name: ExactText, behind: Int) {
    self.caller = caller
    self.name = name
    self.behind = behind
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("caller", &caller, .text(bytes: 1...255), "Whose consumer it is: the name of a caller.")
    try visitor.member("name", &name, .text(bytes: 1...255), "The consumer.")
    try visitor.member("behind", &behind, .count, "How many events about the two it has not acknowledged.")
  }
}
