/// A command-line program: its commands, and the options that may stand anywhere.
public struct Program<Context>: Sendable {
  public let root: Command<Context>
  public let options: [OptionDeclaration]

  /// - Parameters:
  ///   - root: carries the program's name; its verbs are the commands.
  ///   - options: those that hold for every command, besides `--help` and `--version`.
  public init(_ root: Command<Context>, options: [OptionDeclaration]) {
    self.root = root
    self.options = options + [.help, .version]
  }

  public var name: String { root.name }
}

extension OptionDeclaration {
  static let help = OptionDeclaration("help", .none, "Show this page")
  static let version = OptionDeclaration("version", .none, "Show the version")
}
