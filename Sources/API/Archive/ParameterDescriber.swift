import JSON

/// Describes the members of a shape as the parameters of a method: OpenRPC's content descriptors.
struct ParameterDescriber: MemberVisitor {
  typealias Failure = Never

  /// Writes into an array that is begun already.
  var schema: SchemaWriter

  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ limits: T.Limits, _ about: StaticString
  ) {
    parameter(name, T.self, limits, about, isRequired: true)
  }

  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ limits: T.Limits, _ about: StaticString
  ) {
    parameter(name, T.self, limits, about, isRequired: false)
  }

  private mutating func parameter<T: WireValue>(
    _ name: StaticString, _: T.Type, _ limits: T.Limits, _ about: StaticString, isRequired: Bool
  ) {
    schema.json.beginObject()
    schema.json.member("name")
    schema.json.string(name)
    schema.json.member("description")
    schema.json.string(about)
    schema.json.member("required")
    schema.json.bool(isRequired)
    schema.json.member("schema")
    schema.json.beginObject()
    T.describe(limits, into: &schema)
    schema.json.endObject()
    schema.json.endObject()
  }
}
