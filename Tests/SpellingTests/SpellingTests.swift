import Spelling
import Testing

@Suite struct SpellingTests {
  private let known = ["status", "doctor", "user", "identity", "migrate", "completion"]

  @Test(arguments: [
    ("statsu", "status"), ("usr", "user"), ("users", "user"), ("docter", "doctor"),
    ("Status", "status"), ("migrat", "migrate"),
  ])
  func `a slip of the pen finds the word that was meant`(_ word: String, _ meant: String) {
    #expect(Spelling.nearest(to: word, among: known) == meant)
  }

  @Test(arguments: ["", "x", "database", "сервер", String(repeating: "user", count: 100)])
  func `another word finds none`(_ word: String) {
    #expect(Spelling.nearest(to: word, among: known) == nil)
  }

  @Test func `among no words there is none`() {
    #expect(Spelling.nearest(to: "user", among: []) == nil)
  }
}
