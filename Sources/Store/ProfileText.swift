import Accounts
import JSON
import Postgres

/// A profile as the JSON text that is stored, with the member names of the wire.
enum ProfileText {
  static func write(_ profile: Profile) -> JSONText {
    var writer = JSONWriter()
    write(profile, to: &writer)
    return JSONText(String(decoding: writer.bytes, as: UTF8.self))
  }

  static func write(_ profile: Profile, to writer: inout JSONWriter) {
    writer.beginObject()
    if !profile.name.isEmpty {
      writer.member("name")
      writer.beginObject()
      write(profile.name.given, as: "given", to: &writer)
      write(profile.name.family, as: "family", to: &writer)
      write(profile.name.full, as: "full", to: &writer)
      writer.endObject()
    }
    write(profile.nickname, as: "nickname", to: &writer)
    write(profile.picture, as: "picture", to: &writer)
    write(profile.locale, as: "locale", to: &writer)
    if let details = profile.details {
      writer.member("details")
      writer.raw(Array(details.string.utf8))
    }
    writer.endObject()
  }

  static func read(_ text: String) throws(PostgresError) -> Profile {
    let parser = JSONParser()
    var text = text
    let profile: Profile? = text.withUTF8 { bytes in
      guard let value = try? parser.parse(UnsafeRawBufferPointer(bytes), nestingMax: nestingMax) else { return nil }
      return read(value)
    }
    guard let profile else { throw .unexpectedAnswer("a stored profile is not the JSON it should be") }
    return profile
  }

  /// Deeper than what any caller could have sent.
  static let nestingMax = 1024

  static func read(_ object: JSONValue) -> Profile {
    func text(_ value: JSONValue?) -> ExactText? { value?.string.map { ExactText($0) } }
    var profile = Profile()
    if let name = object.member("name") {
      profile.name = PersonName(
        given: text(name.member("given")), family: text(name.member("family")), full: text(name.member("full")))
    }
    profile.nickname = text(object.member("nickname"))
    profile.picture = text(object.member("picture"))
    profile.locale = text(object.member("locale"))
    profile.details = object.member("details").map { ExactText(String(decoding: $0.raw, as: UTF8.self)) }
    return profile
  }

  private static func write(_ text: ExactText?, as name: StaticString, to writer: inout JSONWriter) {
    guard let text else { return }
    writer.member(name)
    writer.string(text.string)
  }
}
