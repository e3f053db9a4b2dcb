import Accounts
import Testing

struct ExactTextTests {
  @Test func `text that only looks equal to Swift is not equal`() {
    let kelvin: ExactText = "\u{212A}"
    #expect(kelvin.string == "K")
    #expect(kelvin != "K")
    #expect(ExactText("e\u{301}") != "\u{E9}")
    #expect(Set<ExactText>([kelvin, "K", "k"]).count == 3)
  }

  @Test func `text is ordered by its bytes`() {
    let sorted = (["b", "", "a\u{301}", "a", "z", "\u{E9}"] as [ExactText]).sorted()
    #expect(sorted == ["", "a", "a\u{301}", "b", "z", "\u{E9}"])
  }

  @Test func `equal text hashes alike however it was made`() {
    let long = String(repeating: "abc", count: 30)
    let pieces = ExactText((0..<30).map { _ in "abc" }.joined())
    #expect(Set([ExactText(long), pieces]).count == 1)
    #expect(ExactText("é").byteCount == 2)
  }
}
