/// An id of the daemon's as a history tells it: of what it is, and in which place of its kind it was first told, such as `u3`.
struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    case user = "u"
    case identity = "i"
    case registration = "r"
    case challenge = "c"
    case token = "t"
    case plan = "p"
    case merge = "m"
  }

  let kind: Kind
  let number: Int

  init(_ kind: Kind, _ number: Int) {
    self.kind = kind
    self.number = number
  }

  var description: String { "\(kind.rawValue)\(number)" }

  static func < (left: Name, right: Name) -> Bool {
    (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number)
  }
}

/// The names of a world, and the ids that they stand for.
struct Names: Sendable {
  private var names: [String: Name] = [:]
  private var texts: [Name: String] = [:]
  private var counts: [Name.Kind: Int] = [:]

  init() {}

  /// The name of an id, a new one for an id that was never told.
  mutating func name(_ kind: Name.Kind, _ text: String) -> Name {
    if let name = names[kind.rawValue + text] { return name }
    let number = (counts[kind] ?? 0) + 1
    let name = Name(kind, number)
    counts[kind] = number
    names[kind.rawValue + text] = name
    texts[name] = text
    return name
  }

  /// The id that a name stands for; the name itself for one that stands for none.
  func text(_ name: Name) -> String { texts[name] ?? name.description }

  /// All names of a kind, from the first.
  func all(_ kind: Name.Kind) -> [Name] {
    (1...max(counts[kind] ?? 0, 1)).prefix(counts[kind] ?? 0).map { Name(kind, $0) }
  }
}
