import Accounts
import Store

/// Events in their order, read once for all who wait at the same place.
///
/// `@unchecked Sendable`: it belongs to its feed's loop and is touched on that loop's thread only.
public final class EventPage: @unchecked Sendable {
  /// What is written of a page.
  public enum Form: Hashable, Sendable {
    case answer
    case notifications
  }

  public let events: [StoredEvent]
  /// Where to go on.
  public let cursor: EventCursor
  private var written: [Form: [UInt8]] = [:]

  init(_ events: [StoredEvent], cursor: EventCursor) {
    self.events = events
    self.cursor = cursor
  }

  /// Where to go on after one of the events.
  public func cursor(after event: StoredEvent) -> EventCursor { EventCursor(era: cursor.era, place: event.place) }

  /// What is sent of the page, written by the first who needs it.
  public func bytes(_ form: Form, writtenBy write: () -> [UInt8]) -> [UInt8] {
    if let bytes = written[form] { return bytes }
    let bytes = write()
    written[form] = bytes
    return bytes
  }
}
