import Terminal

/// What a command works with.
struct CommandContext: Sendable {
  let arguments: Arguments
  let console: any Console
  let environment: [String: String]
  /// For the output.
  let palette: Palette

  var wantsJSON: Bool { arguments.contains(.json) }

  var confirmation: Confirmation {
    Confirmation(on: console, isAssumed: arguments.contains(.yes))
  }
}
