import Accounts
import Testing

struct ProfileReplacingTests {
  private let whole = Profile(
    name: PersonName(given: "Mira", family: "Example"), nickname: "mi", picture: "https://example.org/m.png",
    locale: "ko_KR", details: "{}")

  @Test func `what is given replaces, the rest stays, and the name is one unit`() {
    let changed = whole.replacing(with: Profile(name: PersonName(full: "Mira E."), locale: "de"))
    #expect(changed.name == PersonName(full: "Mira E."))
    #expect(changed.locale == "de" && changed.nickname == "mi" && changed.details == "{}")
    #expect(changed.differences(from: whole) == [.name, .locale])
  }

  @Test(arguments: ProfilePart.allCases)
  func `a part that is named goes, and only that`(part: ProfilePart) {
    #expect(whole.replacing(with: Profile(), clearing: [part]).differences(from: whole) == [part])
  }

  @Test func `everything can be cleared, and nothing changed is no difference`() {
    #expect(whole.replacing(with: Profile(), clearing: Set(ProfilePart.allCases)).isEmpty)
    #expect(whole.replacing(with: whole).differences(from: whole).isEmpty)
  }
}
