import Accounts
import Testing

struct ProfileTests {
  private let whole = Profile(
    name: PersonName(given: "Mira", family: "Holm", full: "Mira Holm"), nickname: "mira",
    picture: "https://pictures.example/mira", locale: "sv_SE", details: "{\"team\":1}")

  @Test func `gaps are filled and nothing else`() {
    let some = Profile(nickname: "m", locale: "ko_KR")
    let filled = some.filled(from: whole)
    #expect(filled.nickname == "m")
    #expect(filled.locale == "ko_KR")
    #expect(filled.name == whole.name)
    #expect(filled.picture == whole.picture)
    #expect(filled.details == whole.details)
    #expect(whole.filled(from: some) == whole)
    #expect(Profile().filled(from: whole) == whole)
  }

  @Test func `a name is never put together of two`() {
    let half = Profile(name: PersonName(family: "Berg"))
    #expect(half.filled(from: whole).name == PersonName(family: "Berg"))
  }

  @Test func `a profile is empty when nothing is known`() {
    #expect(Profile().isEmpty)
    #expect(!Profile(details: "{}").isEmpty)
    #expect(!Profile(name: PersonName(given: "Mira")).isEmpty)
  }

  @Test func `another spelling is another profile`() {
    #expect(Profile(nickname: "Jose\u{301}") != Profile(nickname: "Jos\u{E9}"))
  }

  @Test(arguments: [
    (PersonName(given: "Mira", family: "Holm", full: "Dr Mira Holm"), "dr mira holm"),
    (PersonName(given: "Mira", family: "Holm"), "mira holm"), (PersonName(family: "Gro\u{DF}"), "gross"),
    (PersonName(given: "\u{130}ris"), "i\u{307}ris"), (PersonName(full: "Jose\u{301}"), "jos\u{E9}"),
  ])
  func `a name is found whatever its case`(name: PersonName, searched: String) {
    #expect(Profile(name: name).searchName == SearchText(searched))
    #expect(Profile(name: name).searchName?.folded == ExactText(searched))
  }

  @Test func `no name is not searched`() {
    #expect(Profile(nickname: "mira").searchName == nil)
  }
}
