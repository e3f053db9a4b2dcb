import JSON

/// A JSON value that stays, for examples that are changed at one place.
indirect enum JSONTree: Equatable {
  /// Anything but a container, as it is written.
  case scalar(String)
  case array([JSONTree])
  case object([Member])

  struct Member: Equatable {
    var name: String
    var value: JSONTree
  }

  init(_ value: JSONValue) {
    switch value.kind {
    case .array: self = .array(value.elements.map(JSONTree.init))
    case .object:
      self = .object(value.members.map { Member(name: $0.key.string ?? "", value: JSONTree($0.value)) })
    default: self = .scalar(String(decoding: value.raw, as: UTF8.self))
    }
  }

  init(_ text: String) {
    self = (try? reading(text, JSONTree.init)) ?? .scalar("unreadable")
  }

  var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  /// Every place in the value with its path, but for the value itself and what lies inside those that are free.
  var places: [(path: String, value: JSONTree)] {
    switch self {
    case .scalar: []
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        [("[\(index)]", element)] + element.places.map { (Self.joined("[\(index)]", $0.path), $0.value) }
      }
    case .object(let members):
      members.flatMap { member in
        let inside = Self.free.contains(member.name) ? [] : member.value.places
        return [(member.name, member.value)] + inside.map { (Self.joined(member.name, $0.path), $0.value) }
      }
    }
  }

  /// Members of which the caller decides what is inside.
  static let free: Set<String> = ["details", "attributes", "data"]

  static func isFree(_ path: String) -> Bool { free.contains(String(path.split(separator: ".").last ?? "")) }

  static func joined(_ outer: String, _ inner: String) -> String {
    inner.hasPrefix("[") ? outer + inner : "\(outer).\(inner)"
  }

  /// The same value with another at one place.
  func with(_ replacement: JSONTree, at path: String) -> JSONTree {
    switch self {
    case .scalar: return self
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          element.replaced(replacement, at: path, under: "[\(index)]")
        })
    case .object(let members):
      return .object(
        members.map { Member(name: $0.name, value: $0.value.replaced(replacement, at: path, under: $0.name)) })
    }
  }

  private func replaced(_ replacement: JSONTree, at path: String, under name: String) -> JSONTree {
    if path == name { return replacement }
    guard path.hasPrefix(name) else { return self }
    let rest = path.dropFirst(name.count)
    guard rest.hasPrefix(".") || rest.hasPrefix("[") else { return self }
    return with(replacement, at: String(rest.hasPrefix(".") ? rest.dropFirst() : rest))
  }

  /// The object with one more member.
  func adding(_ name: String, _ value: String) -> JSONTree {
    guard case .object(let members) = self else { return self }
    return .object(members + [Member(name: name, value: .scalar(value))])
  }

  /// The object without one of its members.
  func without(_ name: String) -> JSONTree {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != name })
  }

  /// A value of another kind.
  var wrong: JSONTree {
    switch self {
    case .scalar(let text) where text.hasPrefix("\""): .scalar("7")
    case .scalar: .scalar("\"true\"")
    case .array: .object([])
    case .object: .array([])
    }
  }
}

/// Reads one text with a parser of its own and looks at the value while it is valid.
func reading<R>(_ text: String, _ look: (JSONValue) throws -> R) throws -> R {
  let parser = JSONParser()
  return try withExtendedLifetime(parser) {
    try Array(text.utf8).withUnsafeBytes { try look(try parser.parse($0, nestingMax: 64)) }
  }
}

func canonical(_ text: String) throws -> String {
  try reading(text) { value in
    var writer = JSONWriter()
    value.writeCanonical(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
