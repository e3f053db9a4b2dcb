import JSON

/// A JSON value that came over the wire and stays.
public indirect enum WireJSON: Sendable, Equatable {
  case null
  case bool(Bool)
  /// The digits as they were written.
  case number(String)
  case string(String)
  case array([WireJSON])
  case object([String: WireJSON])

  public init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .number: self = .number(String(decoding: value.raw, as: UTF8.self))
    case .string: self = .string(value.string ?? "")
    case .array: self = .array(value.elements.map(WireJSON.init))
    case .object:
      self = .object(
        value.members.reduce(into: [:]) { members, member in
          members[member.key.string ?? ""] = WireJSON(member.value)
        })
    }
  }

  /// Reads one text strictly.
  public init(_ text: [UInt8]) throws {
    let parser = JSONParser()
    self = try withExtendedLifetime(parser) {
      try text.withUnsafeBytes { WireJSON(try parser.parse($0, nestingMax: 512)) }
    }
  }

  public init(_ text: String) throws { try self.init(Array(text.utf8)) }

  /// A member of an object; nil for anything else.
  public subscript(name: String) -> WireJSON? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// An element of an array; nil for anything else.
  public subscript(index: Int) -> WireJSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  public var integer: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }

  /// The elements of an array; none for anything else.
  public var elements: [WireJSON] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// The members of an object; none for anything else.
  public var members: [String: WireJSON] {
    if case .object(let members) = self { members } else { [:] }
  }
}
