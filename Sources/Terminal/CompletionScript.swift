/// What completes a program's commands in a shell, made from the declaration of the program.
struct CompletionScript<Context> {
  private let program: Program<Context>

  init(for program: Program<Context>) {
    self.program = program
  }

  func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  // MARK: What can stand where

  /// A command with the words that lead to it, without the program's name.
  private struct Place {
    let words: [String]
    let command: Command<Context>
  }

  private var places: [Place] {
    func below(_ command: Command<Context>, _ words: [String]) -> [Place] {
      [Place(words: words, command: command)]
        + command.verbs.flatMap { below($0, words + [$0.name]) }
    }
    return below(program.root, [])
  }

  /// Words that may come next: verbs, or the words a first argument can be.
  private func words(at place: Place) -> [(word: String, summary: String)] {
    place.command.verbs.map { ($0.name, $0.summary) }
      + (place.command.positionals.first.map { first in first.choices.map { ($0, first.summary) } } ?? [])
  }

  private var allOptions: [OptionDeclaration] {
    places.flatMap(\.command.options).reduce(into: program.options) { known, option in
      if !known.contains(where: { $0.name == option.name }) { known.append(option) }
    }
  }

  private func names(where belongs: (OptionDeclaration) -> Bool) -> [String] {
    allOptions.filter(belongs).map { "--\($0.name)" }
  }

  private var fileOptions: [String] {
    names { option in if case .file = option.argument { true } else { false } }
  }

  private var valueOptions: [String] { names(where: \.takesValue) }

  /// The options whose value is one of a few words, with these.
  private var choiceOptions: [(name: String, choices: [String])] {
    allOptions.compactMap { option in
      guard case .choice(_, let choices) = option.argument else { return nil }
      return ("--\(option.name)", choices)
    }
  }

  private var functionName: String { "_" + program.name }

  // MARK: bash and zsh

  /// Both walk over the words typed so far in the same way; the arrays and the last step differ.
  private func walk(count: String, first: Int) -> String {
    """
      local place="" i word
      for ((i = \(first); i < \(count); i++)); do
        word="${words[i]}"
        case "$word" in
          \(valueOptions.joined(separator: "|"))) ((i++)) ;;
          -*) ;;
          *) place="$place $word" ;;
        esac
      done
    """
  }

  private var bash: String {
    let cases = places.flatMap { place in
      let options = (place.command.options + program.options).map { "--\($0.name)" }
      return branches(for: place, words(at: place).map(\.word), options) { candidates in
        "\"\(candidates.joined(separator: " "))\""
      }
    }
    let choices = choiceOptions.map { option in
      "    \(option.name)) mapfile -t COMPREPLY < <(compgen -W \"\(option.choices.joined(separator: " "))\" "
        + "-- \"$current\"); return ;;"
    }
    return """
      # Completion of \(program.name) for bash. Put it where bash-completion looks, or source it.
      \(functionName)() {
        local words=("${COMP_WORDS[@]}") current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
        COMPREPLY=()
        case "$previous" in
          \(fileOptions.joined(separator: "|"))) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
      \(choices.joined(separator: "\n"))
          \(valueOptions.joined(separator: "|"))) return ;;
        esac
      \(walk(count: "COMP_CWORD", first: 1))
        local candidates=""
        case "$place" in
      \(cases.joined(separator: "\n"))
        esac
        mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
      }
      complete -F \(functionName) \(program.name)

      """
  }

  private var zsh: String {
    let cases = places.flatMap { place in
      let options = (place.command.options + program.options).map { zshEntry("--\($0.name)", $0.summary) }
      return branches(for: place, words(at: place).map { zshEntry($0.word, $0.summary) }, options) { candidates in
        "(\(candidates.joined(separator: " ")))"
      }
    }
    let choices = choiceOptions.map { "    \($0.name)) compadd -- \($0.choices.joined(separator: " ")); return ;;" }
    return """
      #compdef \(program.name)
      # Completion of \(program.name) for zsh. Put it in a folder of $fpath as \(functionName).
      \(functionName)() {
        local previous="${words[CURRENT-1]}"
        case "$previous" in
          \(fileOptions.joined(separator: "|"))) _files; return ;;
      \(choices.joined(separator: "\n"))
          \(valueOptions.joined(separator: "|"))) return ;;
        esac
      \(walk(count: "CURRENT", first: 2))
        local -a candidates
        case "$place" in
      \(cases.joined(separator: "\n"))
        esac
        _describe '\(program.name)' candidates
      }
      compdef \(functionName) \(program.name)

      """
  }

  /// The branches for one place; behind its first argument only options may follow.
  private func branches(
    for place: Place, _ words: [String], _ options: [String], written: ([String]) -> String
  ) -> [String] {
    let pattern = place.words.map { " " + $0 }.joined()
    let here = "    \"\(pattern)\") candidates=\(written(words + options)) ;;"
    guard place.command.verbs.isEmpty else { return [here] }
    return [here, "    \"\(pattern) \"*) candidates=\(written(options)) ;;"]
  }

  private func zshEntry(_ word: String, _ summary: String) -> String {
    let quoted = summary.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    return "'\(word):\(quoted)'"
  }

  // MARK: fish

  private var fish: String {
    let verbs = places.flatMap { place in
      words(at: place).map { entry in
        "complete -c \(program.name) -f -n '\(condition(place))' -a \(entry.word) -d '\(fishQuoted(entry.summary))'"
      }
    }
    let options = places.flatMap { place in
      place.command.options.map { fishOption($0, condition: condition(place)) }
    }
    return """
      # Completion of \(program.name) for fish. Put it in ~/.config/fish/completions/\(program.name).fish.
      function _\(program.name)_at
        set -l place
        set -l skip 0
        for word in (commandline -opc)[2..-1]
          if test $skip = 1
            set skip 0
          else if contains -- $word \(valueOptions.joined(separator: " "))
            set skip 1
          else if not string match -q -- '-*' $word
            set -a place $word
          end
        end
        test "$place" = "$argv"
      end
      complete -c \(program.name) -f
      \((verbs + program.options.map { fishOption($0, condition: nil) } + options).joined(separator: "\n"))

      """
  }

  private func condition(_ place: Place) -> String {
    (["_\(program.name)_at"] + place.words).joined(separator: " ")
  }

  private func fishOption(_ option: OptionDeclaration, condition: String?) -> String {
    var line = "complete -c \(program.name)"
    if let condition { line += " -n '\(condition)'" }
    line += " -l \(option.name)"
    switch option.argument {
    case .none: break
    case .text: line += " -x"
    case .file: line += " -r -F"
    case .choice(_, let choices): line += " -x -a '\(choices.joined(separator: " "))'"
    }
    return line + " -d '\(fishQuoted(option.summary))'"
  }

  private func fishQuoted(_ text: String) -> String {
    text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
  }
}

extension Program {
  /// A script for a shell that completes commands, options and the names of files.
  public func completionScript(for shell: Shell) -> String {
    CompletionScript(for: self).text(for: shell)
  }
}
