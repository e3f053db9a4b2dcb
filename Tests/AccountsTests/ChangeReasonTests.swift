import Testing

@testable import Accounts

@Suite struct ChangeReasonTests {
  @Test(arguments: [
    "", " ", "\u{202E}", "\t\n ", "\u{A0}\u{3000}", "\u{200B}\u{FEFF}\u{2060}", "\u{2066}\u{2069} \u{61C}", "\u{FE0F}",
    "\u{3164}", "\u{115F}", "\u{2800}", "\u{E000}", "\u{FFFF}", "\u{AD}", "\u{E0041}", "\u{7}", "a\u{0}",
  ])
  func `what nobody sees is no reason`(_ text: String) {
    #expect(ChangeReason(ExactText(text)) == nil)
  }

  @Test(arguments: ["r", " r ", "?", "한", "é", "👍🏽", "\u{202E}r", "The mail server was down."])
  func `what says something is kept as it was said`(_ text: String) {
    #expect(ChangeReason(ExactText(text))?.text == ExactText(text))
  }

  @Test func `a reason has an end`() {
    #expect(ChangeReason(ExactText(String(repeating: "r", count: ChangeReason.bytesMax))) != nil)
    #expect(ChangeReason(ExactText(String(repeating: "r", count: ChangeReason.bytesMax + 1))) == nil)
  }
}
