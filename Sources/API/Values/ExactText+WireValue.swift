import Accounts
import JSON

extension ExactText: WireValue {
  public static func decode(_ json: JSONValue, _ limits: TextLimits, _ side: WireSide) throws(ShapeProblem) -> ExactText
  {
    let text = try json.withUTF8 { (utf8) throws(ShapeProblem) -> ExactText in
      guard !utf8.isEmpty else { throw ShapeProblem.empty }
      if side == .parameters, let problem = limits.problem(of: utf8) { throw problem }
      return ExactText(String(decoding: utf8, as: UTF8.self))
    }
    guard let text else { throw .wrongType("text") }
    return text
  }

  public func encode(into writer: inout JSONWriter) {
    writer.string(string)
  }

  public static func describe(_ limits: TextLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("string" as StaticString)
    // Bytes cannot be counted in JSON Schema; there are never more characters than bytes.
    schema.json.member("minLength")
    schema.json.integer(1)
    schema.json.member("maxLength")
    schema.json.integer(limits.length.upperBound)
    if !limits.allowsControls {
      schema.json.member("pattern")
      schema.json.string(#"^[^\u0000-\u001f\u007f-\u009f]*$"# as StaticString)
    }
  }
}
