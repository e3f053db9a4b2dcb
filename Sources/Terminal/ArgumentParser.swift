import Spelling

/// Reads a command line against the declaration of a program.
struct ArgumentParser<Context> {
  private let program: Program<Context>
  private var path: [Command<Context>]
  private var positionals: [String] = []
  private var options: [OptionDeclaration: String] = [:]

  init(_ program: Program<Context>) {
    self.program = program
    path = [program.root]
  }

  /// - Parameter words: the command line without the program's own name.
  mutating func parse(_ words: [String]) throws(CommandFailure) -> Invocation<Context> {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        positionals += rest
        break
      }
      if word.utf8.first == UInt8(ascii: "-"), word != "-" {
        try readOption(word, &rest)
      } else {
        try readWord(word)
      }
    }
    if options[.help] != nil { return .help(path: path) }
    if options[.version] != nil { return .version }
    return try checkedInvocation()
  }

  private var command: Command<Context> { path.last ?? program.root }

  /// The command as it is written, without the program's name.
  private var spelled: String { path.dropFirst().map(\.name).joined(separator: " ") }

  private var helpHint: String {
    ([program.name] + path.dropFirst().map(\.name) + ["--help"]).joined(separator: " ") + " tells what it takes"
  }

  // MARK: Words

  private mutating func readWord(_ word: String) throws(CommandFailure) {
    guard !command.verbs.isEmpty else {
      positionals.append(word)
      return
    }
    guard let verb = command.verb(named: word) else {
      // `help user show` is what `user show --help` is.
      if word.utf8.elementsEqual(OptionDeclaration.help.name.utf8) {
        options[.help] = ""
        return
      }
      let known = command.verbs.map(\.name)
      let suggestion = Spelling.nearest(to: word, among: known).map { "did you mean \"\($0)\"?" }
      let place = path.count == 1 ? "" : " after \"\(spelled)\""
      throw CommandFailure(
        .usage, "unknown command \"\(word)\"\(place)", hint: suggestion ?? "known: \(known.joined(separator: ", "))")
    }
    path.append(verb)
  }

  // MARK: Options

  private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let option = try option(written: String(parts[0]))
    guard options[option] == nil || option == .help else {
      throw CommandFailure(.usage, "--\(option.name) stands twice")
    }
    let attached = parts.count == 2 ? String(parts[1]) : nil
    options[option] = try value(of: option, attached: attached, &rest)
  }

  private func option(written: String) throws(CommandFailure) -> OptionDeclaration {
    if written == "-h" { return .help }
    let known = command.options + program.options
    if let option = known.first(where: { "--\($0.name)".utf8.elementsEqual(written.utf8) }) { return option }
    let suggestion = Spelling.nearest(to: String(written.drop { $0 == "-" }), among: known.map(\.name))
    throw CommandFailure(
      .usage, "unknown option \"\(written)\"", hint: suggestion.map { "did you mean --\($0)?" } ?? helpHint)
  }

  private func value(
    of option: OptionDeclaration, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> String {
    guard option.takesValue else {
      if attached != nil { throw CommandFailure(.usage, "--\(option.name) takes no value") }
      return ""
    }
    // What looks like an option is one; a value of that form is attached with "=".
    let following = rest.first.flatMap { $0.utf8.starts(with: "--".utf8) ? nil : $0 }
    guard let value = attached ?? following, !value.isEmpty else {
      throw CommandFailure(.usage, "--\(option.name) needs a value", hint: "write it as \(option.usage)")
    }
    if attached == nil { rest.removeFirst() }
    if case .choice(_, let choices) = option.argument {
      try check(value, isOneOf: choices, for: "--\(option.name)")
    }
    return value
  }

  // MARK: The whole

  private func checkedInvocation() throws(CommandFailure) -> Invocation<Context> {
    guard let body = command.body else {
      let known = command.verbs.map(\.name).joined(separator: ", ")
      let place = path.count == 1 ? "" : " after \"\(spelled)\""
      throw CommandFailure(.usage, "a command is missing\(place)", hint: "one of: \(known)")
    }
    if positionals.count < command.positionals.count {
      let missing = command.positionals[positionals.count]
      throw CommandFailure(.usage, "\"\(spelled)\" needs \(missing.name)", hint: helpHint)
    }
    if positionals.count > command.positionals.count {
      let extra = positionals[command.positionals.count]
      throw CommandFailure(.usage, "\"\(spelled)\" does not take \"\(extra)\"", hint: helpHint)
    }
    for (value, declaration) in zip(positionals, command.positionals) {
      try check(value, isOneOf: declaration.choices, for: declaration.name)
    }
    if let missing = command.options.first(where: { $0.isRequired && options[$0] == nil }) {
      throw CommandFailure(.usage, "\"\(spelled)\" needs \(missing.usage)", hint: missing.summary)
    }
    return .run(body, Arguments(positionals: positionals, options: options))
  }

  private func check(_ value: String, isOneOf choices: [String], for name: String) throws(CommandFailure) {
    guard !choices.isEmpty, !choices.contains(where: { $0.utf8.elementsEqual(value.utf8) }) else { return }
    throw CommandFailure(.usage, "\(name) cannot be \"\(value)\"", hint: "one of: \(choices.joined(separator: ", "))")
  }
}

extension Program {
  /// What a command line asks for.
  ///
  /// - Parameter words: the command line without the program's own name; nil for a word that is not UTF-8.
  /// - Throws: a failure with exit code `usage`.
  public func invocation(of words: [String?]) throws(CommandFailure) -> Invocation<Context> {
    if let index = words.firstIndex(of: nil) {
      throw CommandFailure(.usage, "word \(index + 1) of the command line is not UTF-8")
    }
    var parser = ArgumentParser(self)
    return try parser.parse(words.compactMap(\.self))
  }
}
