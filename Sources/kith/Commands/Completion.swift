import Terminal

extension Command where Context == CommandContext {
  static let completion: Command = Command(
    "completion", "Print a script that completes commands in a shell",
    details: "For bash: kith completion bash > /etc/bash_completion.d/kith",
    positionals: [PositionalDeclaration("SHELL", choices: Shell.allCases.map(\.rawValue), "The shell to print it for")]
  ) { context in
    for shell in Shell.allCases where context.arguments.positionals == [shell.rawValue] {
      context.console.writeOutput(Program<CommandContext>.kith.completionScript(for: shell))
    }
  }
}
