import Testing

@testable import Accounts

struct MatchNameTests {
  private func name(_ text: String) -> MatchName? { SearchText(text).flatMap { MatchName($0) } }

  @Test(arguments: [
    ("김하늘", ["Haneul Kim", "Kim Haneul", "Ha-neul Kim", "KIM HA NEUL", "Gim Haneul", "Kim, Ha-Neul"]),
    (
      "이영희",
      ["Lee Young-hee", "Younghee Yi", "I Yeonghui", "Young Hee Rhee", "Ri Yeong-hui"]
    ),
    ("박지성", ["Park Ji-sung", "Jisung Pak", "Bak Jiseong"]),
    ("최민준", ["Choi Minjun", "Min-joon Choe"]),
    ("정우성", ["Jung Woo-sung", "Jeong Useong", "Chung Woosung", "Woo Sung Joung"]),
    ("조현우", ["Cho Hyun-woo", "Jo Hyeonu"]), ("강감찬", ["Kang Kam-chan", "Gang Gamchan"]),
    ("윤은혜", ["Yoon Eun-hye", "Yun Eunhye"]), ("안성기", ["Ahn Sung-ki", "An Seonggi"]),
    ("오세훈", ["Oh Se-hoon", "O Sehun"]), ("류현진", ["Ryu Hyun-jin", "Yoo Hyeonjin"]),
    ("임꺽정", ["Lim Kkeokjeong", "Im Kkeok-jeong"]), ("노무현", ["Roh Moo-hyun", "No Muhyeon"]),
    ("남궁민", ["Namgung Min", "Min Namkung"]), ("선우용녀", ["Sunwoo Yongnyeo"]), ("허준", ["Hur Jun", "Heo Joon", "Huh Jun"]),
    ("백석", ["Paik Seok", "Baek Seok"]), ("하늘 김", ["Haneul Kim"]), ("김 하늘", ["Haneul Kim"]),
    ("이하진", ["Lee Ha Jin", "Ha Jin Lee"]),
  ])
  func `a name in Hangul is the same in Latin letters`(hangul: String, latin: [String]) throws {
    let korean = try #require(name(hangul))
    for spelling in latin {
      #expect(korean.likeness(to: try #require(name(spelling))) == .transliterated, "\(hangul) \(spelling)")
    }
  }

  @Test(arguments: [
    ("김하늘", "Kim Haneula"), ("김하늘", "Lee Haneul"), ("김하늘", "Haneul"), ("이영희", "Lee Young-ho"),
    ("박지성", "Park Ji-young"), ("김하늘", "김하나"), ("Haneul Kim", "Ha-neul Gim"), ("김하늘", "Mira Beispiel"),
    ("Mira Beispiel", "Mira Beispiel-Okafor"), ("남궁민", "Nam Goongminn"),
  ])
  func `names that differ are not alike`(one: String, other: String) {
    guard let one = name(one), let other = name(other) else { return }
    #expect(one.likeness(to: other) == nil)
  }

  @Test(arguments: [
    ("Mira Beispiel", "BEISPIEL, Mira"), ("Zoë O'Brien-Lück", "zoe\u{308} obrienlück"), ("김하늘", "김하늘"),
    ("Haneul Kim", "Kim Haneul"), ("山田太郎", "山田太郎"), ("김 하늘", "하늘 김"), ("J. R. Okafor", "Okafor J R"),
  ])
  func `order, case and marks make no other name`(one: String, other: String) throws {
    let (one, other) = (try #require(name(one)), try #require(name(other)))
    #expect(one.likeness(to: other) == .same && one.key == other.key)
  }

  @Test(arguments: ["", " ", "Mira", "미라", "-", "...", "山", "😀"])
  func `too little of a name is compared with nobody's`(text: String) {
    #expect(name(text) == nil)
  }

  @Test func `every name gives a key that fits, or none`() {
    var random = SeededLetters(state: 7)
    for _ in 0..<3000 {
      let text = random.text()
      guard let found = name(text) else { continue }
      #expect((1...MatchName.keyBytesMax).contains(found.key.byteCount), "\(text)")
      #expect(!found.key.string.utf8.contains(0))
    }
    #expect(name(String(repeating: "가나 ", count: 300)) == nil)
  }
}

/// Texts of letters of several scripts and marks, the same every time.
private struct SeededLetters {
  var state: UInt64

  mutating func text() -> String {
    let letters = [
      "k", "h", "w", "o", "u", "e", "a", "i", "y", "g", " ", "-", "김", "이", "하", "늘", "ß", "é", "漢", ",", "~", "'", "l",
      "s",
    ]
    return (0..<next(24)).map { _ in letters[next(letters.count)] }.joined()
  }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
