/// What a command line asks for.
public enum Invocation<Context>: Sendable {
  case run(Command<Context>.Body, Arguments)
  /// The page of the command at the end of the path, whose first is the program itself.
  case help(path: [Command<Context>])
  case version
}
