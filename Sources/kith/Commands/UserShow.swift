import API
import Terminal

extension Command where Context == CommandContext {
  static let userShow: Command = Command(
    "show", "Draw one user with everything that identifies them",
    details: "The id of a user who was merged shows the one they were merged into.",
    positionals: [.user], options: [.tenant]
  ) { context throws(CommandFailure) in
    let selector = try await UserReference(in: context).selector(for: context)
    let parameters = UserGet.Parameters(selector, include: Include.allCases)
    try await context.show(UserGet.self, parameters, userNamed: context.nameOfUser) { found in
      UserPicture(found).lines(in: context)
    }
  }
}
