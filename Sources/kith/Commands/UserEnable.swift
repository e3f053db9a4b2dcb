import API
import Terminal

extension Command where Context == CommandContext {
  static let userEnable: Command = Command(
    "enable", "Let a disabled user sign in again", positionals: [.user], options: [.tenant, .reason]
  ) { context throws(CommandFailure) in
    let change = try await context.confirmedChange("Enable")
    try await context.show(UserEnable.self, change) { ["\($0.user.id) is enabled"] }
  }
}
