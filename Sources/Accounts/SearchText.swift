/// Text in which case and Unicode spelling no longer differ: what searches by name compare.
public struct SearchText: Hashable, Sendable {
  public let folded: ExactText

  /// Fails for text that does not settle under folding; no assigned characters are known to do that.
  public init?(_ text: String) {
    guard let folded = UnicodeText.folded(text) else { return nil }
    self.folded = ExactText(folded)
  }
}
