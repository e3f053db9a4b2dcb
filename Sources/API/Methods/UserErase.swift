import Accounts
import JSONRPC

/// Forgets a person.
public enum UserErase: Method {
  public static let name: StaticString = "user.erase"
  public static let summary: StaticString = "Forgets a person; it cannot be undone."
  public static let description: StaticString = """
    What is known of the user and of everybody merged into them goes, their credentials too, and their identities are
    nobody's: who signs in with one later is a new user. The ids stay, as those of an erased user. One who is erased
    already answers the same.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public typealias Parameters = ReasonedUserParameters

  public struct Result: Shape, Equatable {
    public static let title = "UserEraseResult"

    public var user = UserShape()
    public var formerIDs: [UserID] = []

    public init() {}

    public init(user: UserShape, formerIDs: [UserID]) {
      self.user = user
      self.formerIDs = formerIDs
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("user", &user, "The user, who is erased; the survivor, if the id was a former one.")
      try visitor.member("former_ids", &formerIDs, .items(0...10_000), "Who had been merged into them; erased as well.")
    }
  }
}
