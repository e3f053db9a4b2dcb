import JSON

/// How sure something is: from 0 to 1 in hundredths.
public struct Score: WireValue, Hashable {
  public let hundredths: Int

  /// - Parameter hundredths: 0-100; what is beyond counts as the nearer end.
  public init(hundredths: Int) {
    self.hundredths = min(max(hundredths, 0), 100)
  }

  /// The lowest that is at least a number from 0 to 1.
  public init(atLeast value: Double) {
    // First to a thousandth of what counts: a hundredfold 0.55 is a little more than 55.
    self.init(hundredths: Int(((value * 100_000).rounded() / 1000).rounded(.up)))
  }

  /// As it is written: with two decimals.
  public var text: String {
    let decimals = hundredths % 100
    return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
  }

  public static func decode(_ json: JSONValue, _: NoLimits, _: WireSide) throws(ShapeProblem) -> Score {
    guard json.kind == .number else { throw .wrongType("a number") }
    guard let value = Double(String(decoding: json.raw, as: UTF8.self)), (0...1).contains(value) else {
      throw ShapeProblem(.range, "must be a number from 0 to 1")
    }
    return Score(atLeast: value)
  }

  public func encode(into writer: inout JSONWriter) { writer.raw(Array(text.utf8)) }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("number" as StaticString)
    schema.json.member("minimum")
    schema.json.integer(0)
    schema.json.member("maximum")
    schema.json.integer(1)
  }
}
