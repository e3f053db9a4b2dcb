import Accounts

/// One row of the audit trail: who used power over what, when and why.
public struct AuditShape: Shape, Equatable {
  public static let title = "AuditRow"

  public var seq = 0
  public var at = Timestamp.unset
  public var caller: ExactText = ""
  public var peerUID: Int?
  public var action: ExactText = ""
  public var userID: UserID?
  public var reason: ExactText?
  public var data = RawJSON("{}")

  public init() {}

  public init(
    seq: Int, at: Timestamp, caller: ExactText, peerUID: Int?, action: ExactText, userID: UserID?, reason: ExactText?,
    data: RawJSON
  ) {
    self.seq = seq
    self.at = at
    self.caller = caller
    self.peerUID = peerUID
    self.action = action
    self.userID = userID
    self.reason = reason
    self.data = data
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("seq", &seq, .range(1...Int.max), "Its place in the trail, without a gap.")
    try visitor.member("at", &at, "When, by the database's clock.")
    try visitor.member("caller", &caller, .text(bytes: 1...CallerName.bytesMax), "Who, by the configuration.")
    try visitor.member("peer_uid", &peerUID, .range(0...Int.max), "Who, by the kernel.")
    try visitor.member("action", &action, .text(bytes: 1...255), "The method that was called.")
    try visitor.member("user_id", &userID, "Whom it concerned; absent where it concerned no user.")
    try visitor.member("reason", &reason, .text(bytes: 1...4096), "Why, as the caller said; absent where nothing was.")
    try visitor.member("data", &data, .object(bytesMax: 65_536), "What else there is to tell, by action.")
  }
}
