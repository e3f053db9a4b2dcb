/// What a person said on the command line, after it was checked against the command's declaration.
public struct Arguments: Hashable, Sendable {
  public let positionals: [String]
  private let options: [OptionDeclaration: String]

  init(positionals: [String], options: [OptionDeclaration: String]) {
    self.positionals = positionals
    self.options = options
  }

  public func contains(_ option: OptionDeclaration) -> Bool {
    options[option] != nil
  }

  /// The value of an option; nil when it was not given.
  public func value(of option: OptionDeclaration) -> String? {
    options[option]
  }
}
