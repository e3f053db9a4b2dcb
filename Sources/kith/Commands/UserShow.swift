import API
import Accounts
import JSONRPC
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let userShow: Command = Command(
    "show", "Draw one user with everything that identifies them",
    details: "The id of a user who was merged shows the one they were merged into.",
    positionals: [.user], options: [.tenant]
  ) { context throws(CommandFailure) in
    let selector = try await UserReference(in: context).selector(for: context)
    let parameters = UserGet.Parameters(selector, include: Include.allCases)
    guard !context.wantsJSON else {
      try await context.show(UserGet.self, parameters, userNamed: context.nameOfUser) { _ in [] }
      return
    }
    let found = try await context.withClient(userNamed: context.nameOfUser) { client throws(ClientError) in
      try await client.call(UserGet.self, parameters)
    }
    let merges = try await context.merges(into: found.user.id)
    context.console.writeOutput(lines: UserPicture(found, merges: merges).lines(in: context))
  }
}

extension CommandContext {
  /// More merges into one user are not looked into.
  private static let mergesMax = 20

  /// The merges that made a user what they are; none where whoever asks may not see them.
  func merges(into user: UserID) async throws(CommandFailure) -> [MergeGet.Result] {
    try await withClient { client throws(ClientError) in
      do throws(ClientError) {
        let list = MergeList.Parameters(userID: user, page: Page(limit: Self.mergesMax))
        let merges = try await client.call(MergeList.self, list).items
        var found: [MergeGet.Result] = []
        for merge in merges where merge.state == .done && merge.survivor == user {
          found.append(try await client.call(MergeGet.self, MergeGet.Parameters(mergeID: merge.mergeID)))
        }
        return found
      } catch {
        if case .refused(let refusal) = error, refusal.reason == .methodForbidden { return [] }
        throw error
      }
    }
  }
}
