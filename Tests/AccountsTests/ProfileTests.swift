import Testing

@testable import Accounts

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
    #expect(Profile(name: name).searchName == ExactText(searched))
  }

  @Test(arguments: [
    (PersonName(given: "민지", family: "김"), "민지 김\n김민지"), (PersonName(full: "김민지"), "김민지\n민지"),
    (PersonName(full: "김 민지"), "김 민지\n김민지"), (PersonName(given: "민지", full: "김민지"), "김민지\n민지"),
    (PersonName(given: "민지", family: "김", full: "김민지"), "김민지\n민지 김"),
    (PersonName(full: "남궁민수"), "남궁민수\n민수"), (PersonName(full: "남궁"), "남궁\n궁"),
    (PersonName(full: "\u{1100}\u{1175}\u{11B7}\u{1106}\u{1175}\u{11AB}\u{110C}\u{1175}"), "김민지\n민지"),
    (PersonName(given: "太郎", family: "山田"), "太郎 山田\n山田太郎"),
    (PersonName(given: "さくら", family: "山田"), "さくら 山田\n山田さくら"),
    (PersonName(given: "Minji", full: "김민지"), "김민지\nminji 민지"),
    (PersonName(given: "Mimi", full: "Mira Gro\u{DF}"), "mira gross\nmimi"), (PersonName(given: "민지"), "민지"),
    (PersonName(full: "미라 Holm"), "미라 holm"), (PersonName(given: "Minji", family: "김"), "minji 김"),
  ])
  func `a name is found as people say it`(name: PersonName, searched: String) {
    #expect(Profile(name: name).searchName == ExactText(searched))
  }

  @Test func `what a name is searched by always fits into the database`() {
    let long = ExactText(String(repeating: "\u{1F82}", count: 255))
    let searched = Profile(name: PersonName(given: long, family: long, full: long)).searchName
    #expect((1...Profile.searchNameBytesMax).contains(searched?.byteCount ?? 0))
    let others = (1...3).map { ExactText("\($0)\(long)") }
    let several = Profile(name: PersonName(given: others[0], family: others[1], full: others[2])).searchName
    #expect((1...Profile.searchNameBytesMax).contains(several?.byteCount ?? 0))
  }

  @Test(arguments: [
    (PersonName(given: "Mira", family: "Holm"), "Mira Holm"), (PersonName(given: "민지", family: "김"), "김민지"),
    (PersonName(given: "민지", family: "김", full: "민지 김"), "민지 김"), (PersonName(given: "小明", family: "王"), "王小明"),
    (PersonName(given: "さくら", family: "山田"), "山田 さくら"), (PersonName(given: "Minji", family: "김"), "Minji 김"),
    (PersonName(given: "민지"), "민지"), (PersonName(family: "김"), "김"),
  ])
  func `a name is shown in the order of its script`(name: PersonName, shown: String) {
    #expect(name.displayed == ExactText(shown))
  }

  @Test func `how a name is shown does not change with what it is compared`() {
    let apart = Profile(name: PersonName(given: "민지", family: "김"))
    #expect(apart.matchName?.key == Profile(name: PersonName(full: "김민지")).matchName?.key)
    #expect(
      Profile(name: PersonName(given: "Minji", full: "김민지")).matchName
        == Profile(name: PersonName(full: "김민지")).matchName)
  }

  @Test func `no name is not searched`() {
    #expect(Profile(nickname: "mira").searchName == nil)
  }
}
