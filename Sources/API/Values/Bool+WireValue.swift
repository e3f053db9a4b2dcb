import JSON

extension Bool: WireValue {
  public static func decode(_ json: JSONValue, _: NoLimits, _: WireSide) throws(ShapeProblem) -> Bool {
    guard let value = json.bool else { throw .wrongType("true or false") }
    return value
  }

  public func encode(into writer: inout JSONWriter) {
    writer.bool(self)
  }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("boolean" as StaticString)
  }
}
