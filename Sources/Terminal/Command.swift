/// A command of a program, or a noun with verbs under it: one definition gives parsing, help and completion.
public struct Command<Context>: Sendable {
  public typealias Body = @Sendable (Context) async throws(CommandFailure) -> Void

  public let name: String
  /// One line, for the list that the command stands in.
  public let summary: String
  /// What else a person should know; empty when nothing.
  public let details: String
  public let positionals: [PositionalDeclaration]
  public let options: [OptionDeclaration]
  public let verbs: [Command]
  /// Nil for a noun, which needs a verb.
  public let body: Body?

  /// Something that can be done.
  public init(
    _ name: String, _ summary: String, details: String = "", positionals: [PositionalDeclaration] = [],
    options: [OptionDeclaration] = [], body: @escaping Body
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.positionals = positionals
    self.options = options
    verbs = []
    self.body = body
  }

  /// A noun with its verbs.
  public init(_ name: String, _ summary: String, details: String = "", verbs: [Command]) {
    self.name = name
    self.summary = summary
    self.details = details
    positionals = []
    options = []
    self.verbs = verbs
    body = nil
  }

  func verb(named name: String) -> Command? {
    verbs.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
