/// How many columns of a terminal text takes.
///
/// Korean, Chinese and Japanese characters and emoji take two, combining marks none. Ambiguous characters (UAX #11) take
/// one, as they do in every terminal that is not told otherwise.
public enum DisplayWidth {
  public static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  public static func of(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    if isEmoji(character) { return 2 }
    return character.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// A picture made of several scalars is still one picture.
  private static func isEmoji(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, first.properties.isEmoji else { return false }
    if isRegionalIndicator(first) { return scalars.count > 1 }
    return first.properties.isEmojiPresentation || scalars.contains { $0.value == 0xFE0F }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark: 0
    default: isJoiningJamo(scalar) ? 0 : isWide(scalar) ? 2 : 1
    }
  }

  /// Vowels and final consonants that combine with the consonant before them into one syllable.
  private static func isJoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
    (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmojiPresentation && !isRegionalIndicator(scalar)
      || wideRanges.contains { $0.contains(scalar.value) }
  }

  /// East Asian Width W and F of UAX #11, without the emoji, which their own property tells.
  ///
  /// Gaps of a few unassigned characters are closed.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul Jamo, leading consonants
    0x2329...0x232A,  // angle brackets
    0x2630...0x2637,  // trigrams
    0x268A...0x268F,  // monograms and digrams
    0x2E80...0x303E,  // CJK radicals, punctuation
    0x3041...0x3247,  // Kana, Bopomofo, Hangul compatibility Jamo, enclosed CJK
    0x3250...0xA4CF,  // enclosed CJK, ideographs, Yi
    0xA960...0xA97C,  // Hangul Jamo extended A
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6F,  // compatibility and small forms
    0xFF01...0xFF60,  // full-width forms
    0xFFE0...0xFFE6,  // full-width signs
    0x16FE0...0x18DFF,  // Tangut, Khitan
    0x1AFF0...0x1B2FF,  // Kana extensions, Nushu
    0x1D300...0x1D376,  // Tai Xuan Jing symbols, counting rods
    0x1F200...0x1F265,  // enclosed ideographs
    0x20000...0x3FFFD,  // ideographs of the supplementary planes
  ]
}
