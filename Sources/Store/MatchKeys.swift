import Accounts
import JSON

/// What of a profile is stored for comparing users, beside the profile itself.
struct MatchKeys {
  let name: ExactText
  let birthday: ExactText

  init(_ profile: Profile) {
    name = profile.matchName?.key ?? ""
    birthday = profile.details.flatMap { Self.birthday(in: $0.string) }?.stored ?? ""
  }

  /// Naver tells `birthday` (`MM-DD`) and `birthyear`, OpenID Connect `birthdate` (`YYYY-MM-DD`).
  private static func birthday(in details: String) -> Birthday? {
    // Most details have none, and are not read for it.
    guard details.utf8.count <= detailsBytesMax, details.contains("\"birth") else { return nil }
    var text = details
    return text.withUTF8 { bytes in
      let parser = JSONParser()
      guard let value = try? parser.parse(UnsafeRawBufferPointer(bytes), nestingMax: ProfileText.nestingMax) else {
        return nil
      }
      let year = value.member("birthyear")
      return [value.member("birthday"), value.member("birthdate")].lazy.compactMap { member in
        member?.string.flatMap { Birthday($0, year: year?.string ?? year?.integer.map { String($0) }) }
      }.first
    }
  }

  /// Details of a sign-in have at most 16 KiB; what merges made of them may have more.
  private static let detailsBytesMax = 65536
}
