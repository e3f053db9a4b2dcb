/// What an app calls its place in the events.
public struct ConsumerName: Hashable, Sendable {
  public let text: ExactText

  /// A name is for people to read; the limit keeps it on one line.
  public static let charactersMax = 64

  /// Fails when the name is empty, longer than ``charactersMax`` Unicode code points, or not of one line.
  public init?(_ text: ExactText) {
    let scalars = text.string.unicodeScalars
    guard (1...Self.charactersMax).contains(scalars.count),
      scalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return nil }
    self.text = text
  }
}

extension ConsumerName: CustomStringConvertible {
  public var description: String { text.string }
}

/// A consumer of events: another caller's of the same name is another.
public struct ConsumerKey: Hashable, Sendable {
  public let caller: CallerName
  public let name: ConsumerName

  public init(caller: CallerName, name: ConsumerName) {
    self.caller = caller
    self.name = name
  }
}
