import API
import Terminal

extension Command where Context == CommandContext {
  static let userDisable: Command = Command(
    "disable", "Keep a user from signing in", positionals: [.user], options: [.tenant, .reason]
  ) { context throws(CommandFailure) in
    let change = try await context.confirmedChange("Disable")
    try await context.show(UserDisable.self, change) { ["\($0.user.id) is disabled"] }
  }
}
