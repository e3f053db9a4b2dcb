import Terminal

extension OptionDeclaration {
  static let socket = OptionDeclaration("socket", .file("PATH"), "Talk to the daemon at this socket")
  static let json = OptionDeclaration("json", .none, "Print one JSON document, for programs")
  static let yes = OptionDeclaration("yes", .none, "Do not ask for a confirmation")
  static let config = OptionDeclaration("config", .file("FILE"), "Read this configuration file")
  static let database = OptionDeclaration("database", .text("CONNINFO"), "Use this PostgreSQL connection string")
  static let noColour = OptionDeclaration("no-color", .none, "Print without colour")
}
