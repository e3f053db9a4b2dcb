/// A provider's id for a person: opaque, case-sensitive, compared as bytes.
public struct Subject: Hashable, Sendable {
  public let text: ExactText

  /// Longer than any provider's ids, and short enough for a database key.
  public static let bytesMax = 255

  /// Fails when the text is empty or longer than ``bytesMax`` UTF-8 bytes.
  public init?(_ text: String) {
    let text = ExactText(text)
    guard (1...Self.bytesMax).contains(text.byteCount) else { return nil }
    self.text = text
  }
}

extension Subject: CustomStringConvertible {
  public var description: String { text.string }
}
