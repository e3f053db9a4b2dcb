import JSON

/// A value that is one of a few words.
public protocol WireWord: WireValue, RawRepresentable<String>, CaseIterable, Equatable where Limits == NoLimits {}

extension WireWord {
  public static func decode(_ json: JSONValue, _: NoLimits, _: WireSide) throws(ShapeProblem) -> Self {
    let found = json.withUTF8 { utf8 in allCases.first { $0.rawValue.utf8.elementsEqual(utf8) } }
    guard let found else { throw .wrongType(words) }
    guard let word = found else { throw ShapeProblem(json.equals("") ? .empty : .choice, "must be \(words)") }
    return word
  }

  private static var words: String { "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") }

  public func encode(into writer: inout JSONWriter) {
    writer.string(rawValue)
  }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("string" as StaticString)
    schema.json.member("enum")
    schema.json.beginArray()
    for word in allCases { schema.json.string(word.rawValue) }
    schema.json.endArray()
  }
}
