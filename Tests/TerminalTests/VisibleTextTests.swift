import Terminal
import Testing

@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("\u{1B}[2J", "\\u{1B}[2J"), ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{7F}", "\\u{7F}"), ("\u{9B}31m", "\\u{9B}31m"),
    ("user\u{202E}nimda", "user\\u{202E}nimda"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
    ("a\u{200B}b", "a\\u{200B}b"),
    ("a\u{2028}b", "a\\u{2028}b"), ("\u{FEFF}a", "\\u{FEFF}a"), ("a\u{AD}b", "a\\u{AD}b"), ("\u{3164}", "\\u{3164}"),
    ("\u{E0041}", "\\u{E0041}"), ("\r\n", "\\r\\n"), ("\u{0}", "\\u{0}"),
  ])
  func `what acts, reorders or hides is written out`(_ raw: String, _ visible: String) {
    #expect(VisibleText(raw).string == visible)
  }

  @Test(arguments: ["김하늘", "e\u{301}", "👩‍👩‍👧", "❤️", "نام\u{200C}ها", "Mira O'Neill", "葛\u{E0100}"])
  func `a name stays as it is`(_ name: String) {
    #expect(VisibleText(name).string.unicodeScalars.elementsEqual(name.unicodeScalars))
  }

  @Test(arguments: [
    ("Mira", 4, "Mira"), ("Mira", 3, "Mi…"), ("Mira", 1, "…"), ("Mira", 0, ""), ("김하늘", 6, "김하늘"), ("김하늘", 5, "김하…"),
    ("김하늘", 4, "김…"), ("김하늘", 2, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `a cut never splits a character`(_ text: String, _ width: Int, _ cut: String) {
    let result = VisibleText(text).truncated(toWidth: width)
    #expect(result == cut)
    #expect(DisplayWidth.of(result) <= width)
  }
}
