/// A person's name as a provider tells it; every part may be unknown.
public struct PersonName: Hashable, Sendable {
  public var given: ExactText?
  public var family: ExactText?
  public var full: ExactText?

  public init(given: ExactText? = nil, family: ExactText? = nil, full: ExactText? = nil) {
    self.given = given
    self.family = family
    self.full = full
  }

  public var isEmpty: Bool { self == PersonName() }

  /// How much of it is known.
  var partCount: Int { [given, family, full].count { $0 != nil } }

  /// The name to show: the full one, otherwise what is known of given and family name, in the order of their script. In
  /// Hangul, Han and Kana the family name comes first, and only beside Kana there is a space between the two.
  public var displayed: ExactText? {
    guard full == nil, let given, let family, let order = FamilyFirst(family: family.string, given: given.string) else {
      return compared
    }
    return ExactText(order.isWrittenInOne ? "\(family)\(given)" : "\(family) \(given)")
  }

  /// The same in an order of ours, each part a word of its own: what is compared with other names, where order does not count.
  var compared: ExactText? {
    if let full { return full }
    let parts = [given, family].compactMap { $0?.string }
    return parts.isEmpty ? nil : ExactText(parts.joined(separator: " "))
  }

  /// What people also say for the name, beside the words of ``compared``: parts that the full name does not show, and of a
  /// name in Hangul, Han or Kana the whole in one word and the given name by itself.
  var alsoCalled: [String] {
    guard let full else {
      guard let given, let family, FamilyFirst(family: family.string, given: given.string) != nil else { return [] }
      return ["\(family)\(given)"]
    }
    let words = (UnicodeText.composed(full.string) ?? full.string).split { $0.isWhitespace }.map(String.init)
    let parts = [given, family].compactMap { $0?.string }
    guard words.allSatisfy(FamilyFirst.isScript) else { return parts }
    return parts + (words.count > 1 ? [words.joined()] : words.compactMap(KoreanName.givenName(ofWhole:)))
  }
}

/// A name of two parts that begins with the family name.
private struct FamilyFirst {
  /// Whether there is no space between the two.
  let isWrittenInOne: Bool

  /// Nil unless both are in Hangul, Han or Kana.
  init?(family: String, given: String) {
    guard Self.isScript(family), Self.isScript(given) else { return nil }
    isWrittenInOne = !(family + given).unicodeScalars.contains(where: \.isKana)
  }

  static func isScript(_ word: String) -> Bool {
    let scalars = (UnicodeText.composed(word) ?? word).unicodeScalars
    return !scalars.isEmpty && scalars.allSatisfy { $0.isHangul || $0.isHan || $0.isKana }
  }
}
