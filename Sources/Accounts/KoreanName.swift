/// A Korean name, brought into one spelling from Hangul and from the many ways in which people write theirs in Latin letters.
///
/// The spelling is coarse on purpose: Jung, Jeong and Chung become one, and so do names that differ only in what these
/// spellings do not tell apart. It finds who may be meant, and proves nothing.
struct KoreanName: Hashable, Sendable {
  /// Family and given name in the coarse spelling, in alphabetical order: with short names nobody can tell which is which.
  let parts: [String]
  /// Family name and given name as they were written, the given name in one word.
  let written: String

  /// - Parameter words: the words of a name, in any order, folded, each all Hangul or all ASCII letters.
  init?(hangul words: [String]) {
    let isFamily = { (word: String) in Self.rank(of: Self.romanised(word)) }
    guard words.count > 1 else {
      guard let syllables = words.first.map({ Array($0) }), syllables.count > 1 else { return nil }
      // A family name of two syllables only where something is left for the given name.
      for count in [2, 1] where syllables.count > count {
        let family = String(syllables[..<count])
        guard count == 1 || Self.longFamilies.contains(family), isFamily(family) != nil else { continue }
        self.init(family: family, given: String(syllables[count...]), as: Self.romanised)
        return
      }
      return nil
    }
    guard let place = Self.placeOfFamily(words.map(isFamily)) else { return nil }
    self.init(family: words[place], givenWords: words, without: place, as: Self.romanised)
  }

  init?(latin words: [String]) {
    guard words.count > 1, let place = Self.placeOfFamily(words.map { Self.rank(of: $0) })
    else { return nil }
    self.init(family: words[place], givenWords: words, without: place) { $0 }
  }

  private init(family: String, givenWords words: [String], without place: Int, as latin: (String) -> String) {
    let given = words.indices.filter { $0 != place }.map { words[$0] }
    self.init(family: family, given: given.joined(), as: latin)
  }

  private init(family: String, given: String, as latin: (String) -> String) {
    parts = [family, given].map { Self.spelling(ofFamily: latin($0)) }.sorted()
    written = "\(family) \(given)"
  }

  /// First or last; where both could be, the more frequent one, so that the order of the words makes no difference.
  private static func placeOfFamily(_ ranks: [Int?]) -> Int? {
    switch (ranks.first ?? nil, ranks.last ?? nil) {
    case (let first?, let last?): first <= last ? 0 : ranks.count - 1
    case (_?, nil): 0
    case (nil, _?): ranks.count - 1
    case (nil, nil): nil
    }
  }

  /// No family name is written longer.
  private static let familyBytesMax = 9

  /// How likely a word is a family name; nil when it is none.
  private static func rank(of latin: String) -> Int? {
    latin.utf8.count <= familyBytesMax ? rank[spelling(ofFamily: latin)] : nil
  }

  private static func spelling(ofFamily latin: String) -> String { spelling(of: unusual[latin] ?? latin) }
}

extension KoreanName {
  /// Family names of two syllables that are no given names.
  private static let surelyFamilies = ["남궁", "황보", "제갈", "사공", "독고"]
  /// Those that are given names as well.
  private static let seldomFamilies = ["선우", "서문", "동방"]
  /// Family names of one syllable, the frequent ones first.
  private static let shortFamilies =
    "김이박최정강조윤장임한오서신권황안송류유홍전고문손양배백허노남심하주구우나진민엄원채천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국은편용"

  private static let longFamilies: Set<String> = Set(surelyFamilies + seldomFamilies)

  /// Longer words in Hangul are no names of Koreans.
  private static let syllables = 2...5

  /// What is left of a name in Hangul that is written in one when the family name is taken off; nil for what is none.
  static func givenName(ofWhole word: String) -> String? {
    guard syllables.contains(word.unicodeScalars.count), word.unicodeScalars.allSatisfy(\.isHangul) else { return nil }
    let family = word.count > 2 && longFamilies.contains(String(word.prefix(2))) ? 2 : 1
    return String(word.dropFirst(family))
  }

  /// How likely a word is a family name: the smaller, the more.
  private static let rank: [String: Int] = {
    var ranks: [String: Int] = [:]
    for family in surelyFamilies + shortFamilies.map({ String($0) }) + seldomFamilies {
      let coarse = spelling(ofFamily: romanised(family))
      if ranks[coarse] == nil { ranks[coarse] = ranks.count }
    }
    return ranks
  }()

  /// Spellings of family names that the rules of ``spelling(of:)`` do not lead to the official one, and those of the North.
  private static let unusual: [String: String] = [
    "lee": "i", "li": "i", "ri": "i", "rhee": "i", "ree": "i", "rhie": "i", "yie": "i", "leigh": "i",
    "park": "bak", "bark": "bak", "parc": "bak", "choi": "choe", "choy": "choe", "chey": "choe",
    "lim": "im", "rim": "im", "yim": "im", "leem": "im", "rhim": "im", "hur": "heo", "her": "heo",
    "roh": "no", "rho": "no", "ro": "no", "ra": "na", "la": "na", "rha": "na",
    "ryu": "yu", "ryoo": "yu", "lyu": "yu", "rhyu": "yu", "ryang": "yang",
    "paik": "baek", "baik": "baek", "back": "baek", "paick": "baek", "bai": "bae", "pai": "bae", "whang": "hwang",
    "kimm": "kim", "ghim": "kim",
  ]

  private static let firstSyllable: UInt32 = 0xAC00
  private static let initials = [
    "g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h",
  ]
  private static let vowels = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu",
    "ui", "i",
  ]
  private static let finals = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t",
    "t", "k", "t", "p", "t",
  ]

  /// Syllables by the Revised Romanisation, each by itself, as it prescribes for names.
  static func romanised(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { latin, scalar in
      guard scalar.isHangul else { return }
      let index = Int(scalar.value - firstSyllable)
      latin += initials[index / 588] + vowels[index % 588 / 28] + finals[index % 28]
    }
  }

  private typealias Rule = (from: [UInt8], to: [UInt8])

  /// What letters become that people write in several ways, the longest first: by the first of them, for a sign-in of
  /// somebody new waits for this.
  private static let rules: [[Rule]] = {
    var rules: [[Rule]] = Array(repeating: [], count: 256)
    for (from, to) in [
      ("weo", "wo"), ("woo", "u"), ("wou", "u"), ("wu", "u"), ("eo", "u"), ("eu", "u"), ("oo", "u"), ("ou", "u"),
      ("ee", "i"), ("ui", "i"), ("yi", "i"), ("ae", "e"), ("ch", "j"), ("sh", "s"), ("k", "g"), ("c", "g"),
      ("t", "d"), ("p", "b"), ("r", "l"),
    ] {
      guard let first = from.utf8.first else { continue }
      rules[Int(first)].append((Array(from.utf8), Array(to.utf8)))
    }
    return rules
  }()

  private static let vowelLetters = Set("aeiou".utf8)
  /// After these an `h` is heard.
  private static let lettersAfterHeardH = Set("aeiouwy".utf8)

  /// The coarse spelling of lower-case ASCII letters, in which none is doubled.
  static func spelling(of latin: String) -> String {
    let text = Array(latin.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < text.count {
      let rest = text[place...]
      if let rule = rules[Int(text[place])].first(where: { rest.starts(with: $0.from) }) {
        result += rule.to
        place += rule.from.count
        continue
      }
      let isMute =
        text[place] == UInt8(ascii: "h") && place > 0 && vowelLetters.contains(text[place - 1])
        && !(place + 1 < text.count && lettersAfterHeardH.contains(text[place + 1]))
      if !isMute { result.append(text[place]) }
      place += 1
    }
    let single = result.indices.filter { $0 == 0 || result[$0] != result[$0 - 1] }.map { result[$0] }
    return String(decoding: single, as: UTF8.self)
  }
}
