import Accounts

/// Asks for what belongs to several users at once, up to a number for each.
public struct PartsOfUsers: Sendable {
  public let users: [UserID]
  public let limit: Int32

  public init(users: [UserID], limit: Int32) {
    self.users = users
    self.limit = limit
  }
}
