import JSON

/// Between what a whole number must lie.
public struct IntegerLimits: Sendable {
  let range: ClosedRange<Int>

  public static func range(_ range: ClosedRange<Int>) -> IntegerLimits { IntegerLimits(range: range) }

  /// Something that is counted.
  public static let count = IntegerLimits(range: 0...Int.max)
}

extension Int: WireValue {
  public static func decode(_ json: JSONValue, _ limits: IntegerLimits, _ side: WireSide) throws(ShapeProblem) -> Int {
    guard json.kind == .number else { throw .wrongType("a whole number") }
    guard let value = json.integer.flatMap({ Int(exactly: $0) }) else {
      throw ShapeProblem(.format, "must be a whole number, written without fraction or exponent")
    }
    guard side == .result || limits.range.contains(value) else {
      throw ShapeProblem(
        .range, "must be a whole number from \(limits.range.lowerBound) to \(limits.range.upperBound)")
    }
    return value
  }

  public func encode(into writer: inout JSONWriter) {
    writer.integer(self)
  }

  public static func describe(_ limits: IntegerLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("integer" as StaticString)
    schema.json.member("minimum")
    schema.json.integer(limits.range.lowerBound)
    guard limits.range.upperBound < Int.max else { return }
    schema.json.member("maximum")
    schema.json.integer(limits.range.upperBound)
  }
}
