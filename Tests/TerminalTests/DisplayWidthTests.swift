import Terminal
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("Mira", 4), ("김하늘", 6), ("김하늘", 6), ("東京", 4), ("カタカナ", 8), ("ｶﾀｶﾅ", 4), ("ＡＢ", 4),
    ("é", 1), ("e\u{301}", 1), ("a\u{300}\u{301}\u{302}", 1), ("…", 1), ("·", 1), ("→", 1), ("ß", 1), ("Ж", 1),
    ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇰🇷", 2), ("🇰", 1), ("❤", 1), ("❤️", 2), ("⌚", 2), ("⌚\u{FE0E}", 2), ("1️⃣", 2),
    ("1", 1), ("#", 1), ("©", 1), ("𠮷", 2), ("、", 2), ("क्ष", 2), ("שלום", 4), ("\u{200B}", 0), ("\u{0}", 0),
  ])
  func `text takes the columns that terminals give it`(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }
}
