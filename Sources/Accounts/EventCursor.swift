/// How far somebody is done with the events; opaque to callers, who hand it back as they got it.
public struct EventCursor: Hashable, Sendable {
  /// Counts the clusters that the database has lived in, failovers included: in another era the same place may be that of
  /// another event.
  public let era: Int32
  /// Of the last event that is done; zero before the first.
  public let place: Int64

  public init(era: Int32, place: Int64) {
    self.era = era
    self.place = place
  }
}

extension EventCursor: LosslessStringConvertible {
  /// Reads what ``description`` says, and nothing else.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let era = Int32(String(Substring(parts[0]))),
      let place = Int64(String(Substring(parts[1]))), era >= 1, place >= 0
    else { return nil }
    self.init(era: era, place: place)
    guard description.utf8.elementsEqual(text.utf8) else { return nil }
  }

  public var description: String { "\(era).\(place)" }
}
