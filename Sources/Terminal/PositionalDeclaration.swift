/// A word that a command is given by its place.
public struct PositionalDeclaration: Hashable, Sendable {
  /// What help calls it, in capitals.
  public let name: String
  public let summary: String
  /// The only words allowed; empty when any is.
  public let choices: [String]

  public init(_ name: String, choices: [String] = [], _ summary: String) {
    self.name = name
    self.choices = choices
    self.summary = summary
  }
}
