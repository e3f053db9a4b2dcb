/// The page that `--help` shows for a command.
struct HelpPage<Context> {
  /// A usage that is longer says of its options only that there are some; they are listed below.
  private static var usageWidthMax: Int { 72 }

  private let program: Program<Context>
  private let path: [Command<Context>]

  init(of path: [Command<Context>], in program: Program<Context>) {
    self.program = program
    self.path = path
  }

  func lines(palette: Palette) -> [String] {
    let command = path.last ?? program.root
    var lines = [command.summary, "", palette.heading("Usage:") + " " + usage(of: command)]
    if !command.details.isEmpty { lines += [""] + command.details.split(separator: "\n").map(String.init) }
    lines += section("Commands", command.verbs.map { ($0.name, $0.summary) }, palette)
    lines += section("Arguments", command.positionals.map { ($0.name, $0.summary) }, palette)
    lines += section("Options", command.options.map { ($0.usage, $0.summary) }, palette)
    lines += section("Options of every command", program.options.map { ($0.usage, $0.summary) }, palette)
    return lines
  }

  private func usage(of command: Command<Context>) -> String {
    var words = path.map(\.name)
    if !command.verbs.isEmpty { words.append("COMMAND") }
    words += command.positionals.map { $0.choices.isEmpty ? $0.name : $0.choices.joined(separator: "|") }
    let options = command.options.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }
    let whole = (words + options).joined(separator: " ")
    guard whole.count > Self.usageWidthMax else { return whole }
    words += command.options.filter(\.isRequired).map(\.usage)
    return (words + ["[OPTION…]"]).joined(separator: " ")
  }

  private func section(_ title: String, _ entries: [(name: String, summary: String)], _ palette: Palette) -> [String] {
    guard !entries.isEmpty else { return [] }
    let width = entries.reduce(0) { max($0, $1.name.count) }
    let lines = entries.map { entry in
      "  " + entry.name + String(repeating: " ", count: width - entry.name.count + 2) + entry.summary
    }
    return ["", palette.heading("\(title):")] + lines
  }
}

extension Program {
  /// The page of the command at the end of a path.
  public func helpLines(of path: [Command<Context>], palette: Palette) -> [String] {
    HelpPage(of: path, in: self).lines(palette: palette)
  }
}
