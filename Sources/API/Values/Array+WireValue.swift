import JSON

/// How many elements an array may have, and what each must be.
public struct ArrayLimits<ElementLimits: Sendable>: Sendable {
  let count: ClosedRange<Int>
  let element: ElementLimits

  /// As a person reads it: `2 items`, `1 to 10 items`.
  var words: String {
    let (few, many) = (count.lowerBound, count.upperBound)
    return "\(few == many ? "" : "\(few) to ")\(many) \(many == 1 ? "item" : "items")"
  }

  public static func items(_ count: ClosedRange<Int>, _ element: ElementLimits) -> ArrayLimits {
    ArrayLimits(count: count, element: element)
  }
}

extension ArrayLimits where ElementLimits == NoLimits {
  public static func items(_ count: ClosedRange<Int>) -> ArrayLimits { items(count, NoLimits()) }
}

extension Array: WireValue where Element: WireValue {
  public static func decode(
    _ json: JSONValue, _ limits: ArrayLimits<Element.Limits>, _ side: WireSide
  ) throws(ShapeProblem) -> [Element] {
    guard json.isArray else { throw .wrongType("an array") }
    let count = json.count
    guard side == .result || limits.count.contains(count) else {
      throw ShapeProblem(
        .length, "must be an array of \(limits.words)")
    }
    var array: [Element] = []
    array.reserveCapacity(count)
    for element in json.elements {
      do throws(ShapeProblem) {
        guard !element.isNull else { throw ShapeProblem.null }
        array.append(try Element.decode(element, limits.element, side))
      } catch {
        throw error.under(array.count)
      }
    }
    return array
  }

  public func encode(into writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.encode(into: &writer) }
    writer.endArray()
  }

  public static func describe(_ limits: ArrayLimits<Element.Limits>, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("array" as StaticString)
    schema.json.member("minItems")
    schema.json.integer(limits.count.lowerBound)
    schema.json.member("maxItems")
    schema.json.integer(limits.count.upperBound)
    schema.json.member("items")
    schema.json.beginObject()
    Element.describe(limits.element, into: &schema)
    schema.json.endObject()
  }
}
