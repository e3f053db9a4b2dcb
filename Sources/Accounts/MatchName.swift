/// A person's name as it is compared with others': the order of its words, their case and marks between them do not count.
public struct MatchName: Hashable, Sendable {
  /// The same for every spelling that may mean the same name: what is looked for.
  public let key: ExactText
  /// The words themselves, in an order of ours.
  private let words: ExactText
  private let script: Script

  private enum Script {
    case hangul
    case latin
    case other
  }

  /// What keeps an index entry small; longer names are compared with nobody's.
  public static let keyBytesMax = 255
  /// Begins the key of a name that may be Korean, and that no other key begins with.
  private static let koreanMark = "~"

  /// Fails for what is not enough of a name: a single word, other than a whole Chinese, Japanese or Korean name.
  public init?(_ name: SearchText) {
    let words = Self.words(of: name.folded.string)
    let scalars = words.lazy.map(\.unicodeScalars)
    script =
      if words.isEmpty {
        .other
      } else if scalars.allSatisfy({ $0.allSatisfy(\.isHangul) }) {
        .hangul
      } else if scalars.allSatisfy({ $0.allSatisfy { ("a"..."z").contains($0) } }) {
        .latin
      } else {
        .other
      }
    let korean: KoreanName? =
      switch script {
      case .hangul: KoreanName(hangul: words)
      case .latin: KoreanName(latin: words)
      case .other: nil
      }
    self.words = ExactText(
      korean?.written ?? words.sorted { ExactText($0) < ExactText($1) }.joined(separator: " "))
    if let korean {
      key = ExactText(Self.koreanMark + korean.parts.joined(separator: " "))
    } else {
      guard words.count > 1 || words.first.map(Self.isWholeName) == true else { return nil }
      key = self.words
    }
    guard key.byteCount <= Self.keyBytesMax else { return nil }
  }

  /// How alike two names are.
  public enum Likeness: Hashable, Sendable {
    /// The same words.
    case same
    /// One in Hangul and the other, as far as that can be told, the same in Latin letters.
    case transliterated
  }

  /// Nil for names that differ.
  public func likeness(to other: MatchName) -> Likeness? {
    if words == other.words { return .same }
    let scripts: Set = [script, other.script]
    return key == other.key && scripts == [.hangul, .latin] ? .transliterated : nil
  }

  /// Hyphens, dots and apostrophes are no part of a word and do not end one.
  private static func words(of text: String) -> [String] {
    text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "," }.map { word in
      String(
        String.UnicodeScalarView(
          word.filter {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
              || $0.properties.canonicalCombiningClass != .notReordered
          }))
    }.filter { !$0.isEmpty }
  }

  /// Written in one: two characters or more that are no letters of an alphabet.
  private static func isWholeName(_ word: String) -> Bool {
    word.unicodeScalars.count > 1 && word.unicodeScalars.allSatisfy { $0.isHan || $0.isKana }
  }
}

extension Profile {
  /// The name as it is compared with others'; nil when too little of it is known.
  public var matchName: MatchName? { name.compared.flatMap { SearchText($0.string) }.flatMap { MatchName($0) } }
}
