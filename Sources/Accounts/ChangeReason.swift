/// Why an administrator did something, in their own words; kept in the audit.
public struct ChangeReason: Hashable, Sendable {
  public let text: ExactText

  /// A page of text says enough; the database keeps no more.
  public static let bytesMax = 4096

  /// Fails when the text is empty, longer than ``bytesMax``, or has a NUL character.
  public init?(_ text: ExactText) {
    guard (1...Self.bytesMax).contains(text.byteCount), !text.string.utf8.contains(0) else { return nil }
    self.text = text
  }
}
