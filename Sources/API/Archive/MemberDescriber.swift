import JSON

/// Describes the members of a shape as the properties of a JSON Schema.
struct MemberDescriber: MemberVisitor {
  typealias Failure = Never

  private var schema: SchemaWriter
  private var required: [StaticString] = []

  init(_ schema: SchemaWriter) {
    self.schema = schema
    self.schema.json.member("type")
    self.schema.json.string("object" as StaticString)
    self.schema.json.member("properties")
    self.schema.json.beginObject()
  }

  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ limits: T.Limits, _ about: StaticString
  ) {
    required.append(name)
    property(name, T.self, limits, about)
  }

  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ limits: T.Limits, _ about: StaticString
  ) {
    property(name, T.self, limits, about)
  }

  private mutating func property<T: WireValue>(
    _ name: StaticString, _: T.Type, _ limits: T.Limits, _ about: StaticString
  ) {
    schema.json.member(name)
    schema.json.beginObject()
    schema.json.member("description")
    schema.json.string(about)
    T.describe(limits, into: &schema)
    schema.json.endObject()
  }

  consuming func finish() -> SchemaWriter {
    schema.json.endObject()
    if !required.isEmpty {
      schema.json.member("required")
      schema.json.beginArray()
      for name in required { schema.json.string(name) }
      schema.json.endArray()
    }
    schema.json.member("additionalProperties")
    schema.json.bool(false)
    return schema
  }
}
