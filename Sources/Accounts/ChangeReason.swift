/// Why an administrator did something, in their own words; kept in the audit.
public struct ChangeReason: Hashable, Sendable {
  public let text: ExactText

  /// A page of text says enough; the database keeps no more.
  public static let bytesMax = 4096

  /// The one symbol that is drawn as nothing.
  private static let blankSymbol: Unicode.Scalar = "\u{2800}"

  /// Fails when nothing of the text can be seen, it is longer than ``bytesMax``, or it has a NUL character.
  public init?(_ text: ExactText) {
    guard text.byteCount <= Self.bytesMax, !text.string.utf8.contains(0),
      text.string.unicodeScalars.contains(where: { $0.isVisible && $0 != Self.blankSymbol })
    else { return nil }
    self.text = text
  }
}
