import Accounts
import Crypto
import JSON
import Vault

/// Claims as the JSON text that is sealed: the address as reported, and the profile. Whose they are stands beside it.
public enum ClaimsText {
  public static func write(_ claims: Claims) -> SecretBytes {
    var writer = JSONWriter()
    writer.beginObject()
    if let email = claims.email {
      writer.member("email")
      writer.string(email.address.asGiven)
      writer.member("email_verified")
      writer.bool(email.isVerified)
      if let isPrivate = email.isPrivate {
        writer.member("is_private_email")
        writer.bool(isPrivate)
      }
    }
    writer.member("profile")
    ProfileText.write(claims.profile, to: &writer)
    writer.endObject()
    return writer.withUnsafeBytes { SecretBytes(copying: $0) }
  }

  /// - Throws: `.invalid` for a text that was not written here.
  public static func read(_ text: SecretBytes, of identity: IdentityKey) throws(SealingError) -> Claims {
    try withValue(of: text) { value in
      value.member("profile").map { profile in
        Claims(identity: identity, email: ReportedEmail(value), profile: ProfileText.read(profile))
      }
    }
  }

  /// The address alone; nil where there is none.
  static func address(in text: SecretBytes) throws(SealingError) -> EmailAddress? {
    try withValue(of: text) { value in value.isObject ? .some(ReportedEmail(value)?.address) : nil }
  }

  private static func withValue<Value>(
    of text: SecretBytes, _ read: (JSONValue) -> Value?
  ) throws(SealingError) -> Value {
    let parser = JSONParser()
    defer { parser.wipe() }
    let value = text.withUnsafeBytes { bytes in
      (try? parser.parse(bytes, nestingMax: ProfileText.nestingMax)).flatMap(read)
    }
    guard let value else { throw .invalid }
    return value
  }
}

extension ReportedEmail {
  fileprivate init?(_ claims: JSONValue) {
    guard let text = claims.member("email")?.string, let address = try? EmailAddress(text) else { return nil }
    self.init(
      address, isVerified: claims.member("email_verified")?.bool ?? false,
      isPrivate: claims.member("is_private_email")?.bool)
  }
}

/// What a provider said beside everything that has a name of its own: one JSON object as text.
enum DetailsText {
  /// The members of the later text, and those that only the earlier one has: where both together are too long, as many of
  /// these as there is room for.
  static func resuming(_ later: ExactText?, _ earlier: ExactText?) -> ExactText? {
    guard let later, let earlier, later != earlier else { return later ?? earlier }
    let parsers = (JSONParser(), JSONParser())
    let both: [UInt8]? = later.withUTF8 { laterBytes in
      earlier.withUTF8 { earlierBytes in
        guard let new = try? parsers.0.parse(laterBytes, nestingMax: ProfileText.nestingMax),
          let old = try? parsers.1.parse(earlierBytes, nestingMax: ProfileText.nestingMax), new.isObject, old.isObject
        else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        let names = Set(new.members.map { ExactText($0.0.string ?? "") })
        for (name, value) in new.members { write(name, value, to: &writer) }
        let gaps = old.members.filter { !names.contains(ExactText($0.0.string ?? "")) }
        let kept = places(of: gaps, within: Profile.detailsBytesMax - writer.count - 1)
        for (place, (name, value)) in gaps.enumerated() where kept.contains(place) { write(name, value, to: &writer) }
        writer.endObject()
        return writer.take()
      }
    }
    guard let both, both.count <= Profile.detailsBytesMax else { return later }
    return ExactText(String(decoding: both, as: UTF8.self))
  }

  /// Which of the members there is room for, the shortest first, so that there are as many as can be.
  ///
  /// - Parameter bytesMax: of all that are kept, each with a comma before it.
  private static func places(of members: [(JSONValue, JSONValue)], within bytesMax: Int) -> Set<Int> {
    let lengths = members.map { name, value in
      var writer = JSONWriter()
      write(name, value, to: &writer)
      return writer.count + 1
    }
    var room = bytesMax
    let kept = members.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }.prefix { place in
      room -= lengths[place]
      return room >= 0
    }
    return Set(kept)
  }

  private static func write(_ name: JSONValue, _ value: JSONValue, to writer: inout JSONWriter) {
    writer.member(named: name.string ?? "")
    writer.raw(value.raw)
  }
}

extension ExactText {
  fileprivate func withUTF8<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    var text = string
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
