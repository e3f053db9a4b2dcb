import Accounts

/// A person's name, as far as it is known.
public struct NameShape: Shape, Equatable {
  public static let title = "Name"

  public var given: ExactText?
  public var family: ExactText?
  public var full: ExactText?

  public init() {}

  public init(given: ExactText? = nil, family: ExactText? = nil, full: ExactText? = nil) {
    self.given = given
    self.family = family
    self.full = full
  }

  /// Nil for a name of which nothing is known.
  public init?(_ name: PersonName) {
    guard !name.isEmpty else { return nil }
    self.init(given: name.given, family: name.family, full: name.full)
  }

  /// The name itself.
  public var name: PersonName { PersonName(given: given, family: family, full: full) }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("given", &given, .line(characters: 1...Profile.nameCharactersMax), "The given name.")
    try visitor.member("family", &family, .line(characters: 1...Profile.nameCharactersMax), "The family name.")
    try visitor.member(
      "full", &full, .line(characters: 1...Profile.nameCharactersMax), "The whole name as it is shown.")
  }
}
