import Accounts
import JSON
import Postgres

/// Claims as the JSON text that a challenge keeps: the address as reported, and the profile.
enum ClaimsText {
  static func write(_ claims: Claims) -> JSONText {
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
    writer.raw(Array(ProfileText.write(claims.profile).text.utf8))
    writer.endObject()
    return JSONText(String(decoding: writer.bytes, as: UTF8.self))
  }
}
