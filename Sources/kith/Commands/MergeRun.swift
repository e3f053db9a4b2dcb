import API
import Accounts
import KithClient
import Terminal

extension Command where Context == CommandContext {
  private static let noReason: ExactText = "no reason was given"

  static let mergeRun: Command = Command(
    "run", "Show what a merge of two users does, ask, and do it",
    details: """
      Shows what "kith merge plan" shows. When it is done it prints the command that
      undoes it.
      """,
    positionals: [.firstOfTwo, .secondOfTwo], options: [.into, .tenant, .reasonOfMerge]
  ) { context throws(CommandFailure) in
    let planning = try await context.mergePlan()
    let plan = try await context.withClient { client throws(ClientError) in
      try await client.call(MergePlan.self, planning)
    }
    if !context.wantsJSON {
      context.console.writeOutput(lines: try await context.picture(of: plan).lines(in: context) + [""])
    }
    try context.confirmation.ask("Merge user \(plan.absorbed) into \(plan.survivor)?")
    let parameters = MergeRun.Parameters(
      planToken: plan.planToken, reason: context.text(of: .reasonOfMerge) ?? noReason)
    try await context.show(MergeRun.self, parameters) { merge in
      ["merged \(merge.absorbed)", "  into \(merge.survivor)", "to undo it:"]
        + ["  kith merge undo \(merge.mergeID) --reason TEXT"]
    }
  }
}
