import Accounts
import JSON

/// An id of Accounts on the wire: the text form of a UUID.
public protocol WireID: TypedID, WireValue where Limits == NoLimits {}

extension WireID {
  /// All bits zero (RFC 9562's nil UUID): what stands in a shape before it is decoded; nothing has it.
  static var unset: Self { Self(UniqueID(high: 0, low: 0)) }

  public static func decode(_ json: JSONValue, _: NoLimits, _: WireSide) throws(ShapeProblem) -> Self {
    guard let found = json.withUTF8({ UniqueID(utf8: $0) }) else { throw .wrongType("a UUID as text") }
    guard let unique = found else { throw ShapeProblem(json.equals("") ? .empty : .format, "must be a UUID") }
    return Self(unique)
  }

  public func encode(into writer: inout JSONWriter) {
    writer.plainString(capacity: 36) { unique.write(to: $0) }
  }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("string" as StaticString)
    schema.json.member("format")
    schema.json.string("uuid" as StaticString)
  }
}

extension UserID: WireID {}
extension IdentityID: WireID {}
extension RegistrationID: WireID {}
extension ChallengeID: WireID {}
extension CredentialID: WireID {}
extension MergeID: WireID {}
