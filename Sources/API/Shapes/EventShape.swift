import Accounts

/// Something that happened to a user, or to somebody who may become one.
public struct EventShape: Shape, Equatable {
  public static let title = "Event"
  /// The name of the notification by which `event.subscribe` pushes one.
  public static let notification = "event"

  public var cursor: ExactText = ""
  public var id = EventID.unset
  /// One of ``EventType``, or a word of a later version.
  public var type: ExactText = ""
  public var at = Timestamp.unset
  public var userID: UserID?
  public var caller: ExactText?
  public var data = RawJSON("{}")

  public init() {}

  public init(
    cursor: ExactText, id: EventID, type: ExactText, at: Timestamp, userID: UserID?, caller: ExactText?, data: RawJSON
  ) {
    self.cursor = cursor
    self.id = id
    self.type = type
    self.at = at
    self.userID = userID
    self.caller = caller
    self.data = data
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("cursor", &cursor, .cursor, "Acknowledges this event and all before it.")
    try visitor.member("id", &id, "Names the event: told twice, it has the same.")
    try visitor.member("type", &type, .text(bytes: 1...64), "What happened.")
    try visitor.member("at", &at, "When.")
    try visitor.member("user_id", &userID, "To whom; absent for somebody who is no user.")
    try visitor.member(
      "caller", &caller, .text(bytes: 1...CallerName.bytesMax), "By whom; absent where nobody called, as at an expiry.")
    try visitor.member("data", &data, .object(bytesMax: 65_536), "What else there is to tell, by type.")
  }
}

extension EventID: WireID {}

/// Where one begins who has not read events before.
public enum EventOrigin: String, WireWord, CaseIterable, Sendable {
  case oldest
  case now
}
