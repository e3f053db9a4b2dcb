import Terminal

/// What a sample command works with.
struct SampleContext: Sendable {
  let arguments: Arguments
  let console: any Console
}

extension OptionDeclaration {
  static let reason = OptionDeclaration("reason", .text("TEXT"), isRequired: true, "Say why, for the audit")
  static let order = OptionDeclaration("order", .choice("KEY", ["name", "age"]), "Sort by name or age")
  static let socket = OptionDeclaration("socket", .file("PATH"), "Talk to this socket")
  static let yes = OptionDeclaration("yes", .none, "Don't ask")
}

extension Program where Context == SampleContext {
  /// A program with everything that a program can have.
  static let sample: Program = Program(
    Command(
      "sample", "Shows what a program can be.",
      verbs: [
        Command("person", "Look at people and change them", verbs: [.show, .list, .disable]),
        .completion,
      ]),
    options: [.socket, .yes])

  static func run(_ words: [String], on console: any Console) async -> ExitCode {
    do {
      switch try sample.invocation(of: words) {
      case .help(let path): console.writeOutput(lines: sample.helpLines(of: path, palette: Palette(isColoured: false)))
      case .version: console.writeOutput("sample 1\n")
      case .run(let body, let arguments): try await body(SampleContext(arguments: arguments, console: console))
      }
      return .done
    } catch {
      console.writeError(lines: error.lines(program: "sample", palette: Palette(isColoured: false)))
      return error.exitCode
    }
  }
}

extension Command where Context == SampleContext {
  static let show: Command = Command(
    "show", "Show one person", details: "A person is named by an id.\nNobody else is.",
    positionals: [PositionalDeclaration("PERSON", "Who")]
  ) { context in
    let socket = context.arguments.value(of: .socket).map { " over \($0)" } ?? ""
    context.console.writeOutput(lines: ["person \(context.arguments.positionals[0])\(socket)"])
  }

  static let disable: Command = Command(
    "disable", "Keep a person out", positionals: [PositionalDeclaration("PERSON", "Who")], options: [.reason]
  ) { context throws(CommandFailure) in
    let person = context.arguments.positionals[0]
    try Confirmation(on: context.console, isAssumed: context.arguments.contains(.yes)).ask("Disable \(person)?")
    context.console.writeOutput(lines: ["disabled: \(context.arguments.value(of: .reason) ?? "")"])
  }

  static let list: Command = Command("list", "List people", options: [.order]) { context in
    let table = Table(
      [
        Table.Column("ID"), Table.Column("NAME", widthMin: 8), Table.Column("LOGINS", isNumber: true),
        Table.Column("NOTE", widthMin: 10),
      ],
      rows: [
        ["0192f3a0-7c1e-7000-8000-000000000001", "김하늘", "7", "한국에서 처음 로그인한 사람으로 이름이 꽤 길게 적혀 있음, 그리고 더 있음"],
        ["0192f3a0-7c1e-7000-8000-000000000002", "Mira Beispiel", "1204", "short"],
        ["0192f3a0-7c1e-7000-8000-000000000003", "é 👩‍👩‍👧 🇰🇷", "0", "\u{1B}[31mred\u{202E}desrever\nnext"],
        ["0192f3a0-7c1e-7000-8000-000000000004", "남궁민수독고영재", "12"],
      ])
    context.console.writeOutput(
      lines: table.lines(widthMax: context.console.outputWidth, palette: Palette(isColoured: false)))
  }

  static let completion: Command = Command(
    "completion", "Complete commands in a shell",
    positionals: [PositionalDeclaration("SHELL", choices: Shell.allCases.map(\.rawValue), "Which shell's")]
  ) { context in
    guard let shell = Shell(rawValue: context.arguments.positionals[0]) else { return }
    context.console.writeOutput(Program<SampleContext>.sample.completionScript(for: shell))
  }
}
