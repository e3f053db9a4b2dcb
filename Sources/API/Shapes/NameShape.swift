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

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("given", &given, .line(characters: 1...Profile.nameCharactersMax), "The given name.")
    try visitor.member("family", &family, .line(characters: 1...Profile.nameCharactersMax), "The family name.")
    try visitor.member(
      "full", &full, .line(characters: 1...Profile.nameCharactersMax), "The whole name as it is shown.")
  }
}
