import JSON

/// As much of JSON Schema as the description of the interface uses.
struct SchemaCheck {
  /// The shared schemas by name.
  let schemas: JSONValue

  /// What is wrong with parameters by their content descriptors, or nil.
  func accepts(_ params: JSONValue, descriptors: JSONValue) -> String? {
    for descriptor in descriptors.elements {
      let name = descriptor.member("name")?.string ?? ""
      if let value = member(name, of: params), let schema = descriptor.member("schema") {
        if let problem = accepts(value, schema) { return "\(name): \(problem)" }
      } else if descriptor.member("required")?.bool == true {
        return "\(name) is missing"
      }
    }
    let names = descriptors.elements.map { $0.member("name")?.string }
    return params.members.contains { !names.contains($0.key.string) } ? "unknown parameter" : nil
  }

  /// What is wrong with a value by a schema, or nil.
  func accepts(_ value: JSONValue, _ schema: JSONValue) -> String? {
    if let reference = schema.member("$ref")?.string {
      let name = String(reference.dropFirst("#/components/schemas/".count))
      guard let target = member(name, of: schemas) else { return "no schema \(name)" }
      return accepts(value, target)
    }
    switch schema.member("type")?.string {
    case "string": return string(value, schema)
    case "integer": return integer(value, schema)
    case "number": return number(value, schema)
    case "boolean": return value.bool == nil ? "no boolean" : nil
    case "array": return array(value, schema)
    case "object": return object(value, schema)
    default: return nil
    }
  }

  private func member(_ name: String, of object: JSONValue) -> JSONValue? {
    object.members.first { $0.key.string == name }?.value
  }

  private func string(_ value: JSONValue, _ schema: JSONValue) -> String? {
    guard let text = value.string else { return "no string" }
    if let words = schema.member("enum"), !words.elements.contains(where: { $0.string == text }) { return "no word" }
    return isWithin(text.unicodeScalars.count, schema.member("minLength"), schema.member("maxLength"))
      ? nil : "length"
  }

  private func integer(_ value: JSONValue, _ schema: JSONValue) -> String? {
    guard let number = value.integer else { return "no integer" }
    return isWithin(Int(number), schema.member("minimum"), schema.member("maximum")) ? nil : "range"
  }

  private func number(_ value: JSONValue, _ schema: JSONValue) -> String? {
    let double = { (number: JSONValue) in Double(String(decoding: number.raw, as: UTF8.self)) }
    guard value.kind == .number, let number = double(value) else { return "no number" }
    let least = schema.member("minimum").flatMap(double) ?? -.infinity
    let most = schema.member("maximum").flatMap(double) ?? .infinity
    return (least...most).contains(number) ? nil : "range"
  }

  private func array(_ value: JSONValue, _ schema: JSONValue) -> String? {
    guard value.isArray else { return "no array" }
    guard isWithin(value.count, schema.member("minItems"), schema.member("maxItems")) else { return "count" }
    guard let items = schema.member("items") else { return nil }
    return value.elements.lazy.compactMap { accepts($0, items) }.first
  }

  private func object(_ value: JSONValue, _ schema: JSONValue) -> String? {
    guard value.isObject else { return "no object" }
    for name in schema.member("required")?.elements.compactMap(\.string) ?? [] where member(name, of: value) == nil {
      return "\(name) is missing"
    }
    for (key, value) in value.members {
      let name = key.string ?? ""
      if let property = schema.member("properties").flatMap({ member(name, of: $0) }) {
        if let problem = accepts(value, property) { return "\(name): \(problem)" }
      } else if schema.member("additionalProperties")?.bool == false {
        return "\(name) is not described"
      }
    }
    return nil
  }

  private func isWithin(_ number: Int, _ least: JSONValue?, _ most: JSONValue?) -> Bool {
    number >= Int(least?.integer ?? .min) && number <= Int(most?.integer ?? .max)
  }
}
