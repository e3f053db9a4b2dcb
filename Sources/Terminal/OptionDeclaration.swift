/// An option of a command, from which parsing, help and completion are made.
public struct OptionDeclaration: Hashable, Sendable {
  public enum Argument: Hashable, Sendable {
    /// The option stands alone.
    case none
    /// What help calls the value, in capitals.
    case text(String)
    /// As `text`, completed with the names of files.
    case file(String)
    case choice(String, [String])
  }

  /// Without the dashes.
  public let name: String
  public let argument: Argument
  public let summary: String
  public let isRequired: Bool

  public init(_ name: String, _ argument: Argument, isRequired: Bool = false, _ summary: String) {
    self.name = name
    self.argument = argument
    self.isRequired = isRequired
    self.summary = summary
  }

  /// As it is written, `--socket PATH`.
  public var usage: String {
    switch argument {
    case .none: "--\(name)"
    case .text(let value), .file(let value), .choice(let value, _): "--\(name) \(value)"
    }
  }

  var takesValue: Bool { argument != .none }
}
