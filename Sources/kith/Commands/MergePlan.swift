import API
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let mergePlan: Command = Command(
    "plan", "Draw two users side by side, and what a merge would do",
    details: """
      Changes nothing. "kith merge run" with the same arguments does what is shown
      here.
      """,
    positionals: [.firstOfTwo, .secondOfTwo], options: [.into, .tenant, .reasonOfPlan]
  ) { context throws(CommandFailure) in
    // What run would refuse.
    _ = try context.reason(of: .reasonOfPlan)
    let parameters = try await context.mergePlan()
    guard !context.wantsJSON else {
      try await context.show(MergePlan.self, parameters) { _ in [] }
      return
    }
    let plan = try await context.withClient { client throws(ClientError) in
      try await client.call(MergePlan.self, parameters)
    }
    context.console.writeOutput(lines: try await context.picture(of: plan).lines(in: context))
  }
}
