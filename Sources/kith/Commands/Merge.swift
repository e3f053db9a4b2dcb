import API
import Accounts
import JSONRPC
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let merge: Command = Command(
    "merge", "Make one user of two, and undo it",
    details: """
      A plan shows what would happen and changes nothing. What a merge moved is put
      back by its undo; what came later stays with the user who survived.
      """,
    verbs: [.mergePlan, .mergeRun, .mergeUndo, .mergeList, .mergeShow])
}

extension PositionalDeclaration {
  static let firstOfTwo = PositionalDeclaration("A", "One of the two: an id, an e-mail address, or provider:subject")
  static let secondOfTwo = PositionalDeclaration("B", "The other one, named in the same way")
  static let merge = PositionalDeclaration("ID", "The merge, by its whole id")
}

extension OptionDeclaration {
  static let into = OptionDeclaration("into", .text("USER"), "The one whose account goes on (default: the older)")
  /// So that a plan is made a merge by changing one word.
  static let reasonOfPlan = OptionDeclaration("reason", .text("TEXT"), "Taken as by run; a plan keeps none")
  static let reasonOfMerge = OptionDeclaration(
    "reason", .text("TEXT"), "Why it is done; the merge and the audit trail keep it")
}

extension CommandContext {
  /// The plan for the two users whom the command line names.
  func mergePlan() async throws(CommandFailure) -> MergePlan.Parameters {
    let names = arguments.positionals
    var ids: [UserID] = []
    for name in names { ids.append(try await user(named: name)) }
    guard ids.count == 2, ids[0] != ids[1] else {
      throw CommandFailure(
        .usage, "\"\(names[0])\" and \"\(names[names.count - 1])\" are one user",
        hint: try await latestMerge(into: ids[0]).map {
          "the latest merge into this user is \($0.mergeID), of \(DisplayedTime.minutes($0.at)); kith merge show tells it"
        })
    }
    guard let named = arguments.value(of: .into) else { return MergePlan.Parameters(users: ids) }
    let survivor = try await user(named: named)
    guard ids.contains(survivor) else {
      throw CommandFailure(.usage, "--into names neither of the two", hint: "it is one of A and B")
    }
    return MergePlan.Parameters(users: ids, survivor: survivor)
  }

  /// The merge that most likely made two names those of one user; nil where there is none, or whoever asks may not see it.
  private func latestMerge(into user: UserID) async throws(CommandFailure) -> MergeShape? {
    try await withClient { client throws(ClientError) in
      do throws(ClientError) {
        let list = MergeList.Parameters(userID: user, page: Page(limit: Page.limitDefault))
        let merges = try await client.call(MergeList.self, list).items
        return merges.first { $0.state == .done && $0.survivor == user }
      } catch {
        if case .refused(let refusal) = error, refusal.reason == .methodForbidden { return nil }
        throw error
      }
    }
  }

  /// The tenant, if one is given, belongs to whoever is named by provider and subject.
  private func user(named name: String) async throws(CommandFailure) -> UserID {
    var reference = try UserReference(name)
    if case .identity = reference { reference = try UserReference(name, tenant: arguments.value(of: .tenant)) }
    return try await reference.id(for: self, named: name)
  }

  /// Both users of a plan as they are now: what changed since the plan makes it stale.
  func picture(of plan: MergePlan.Result) async throws(CommandFailure) -> MergePicture {
    let users = try await withClient { client throws(ClientError) in
      var users: [UserShape] = []
      for id in [plan.survivor, plan.absorbed] {
        let parameters = UserGet.Parameters(.id(id), include: Include.allCases)
        users.append(try await client.call(UserGet.self, parameters).user)
      }
      return users
    }
    return MergePicture(plan: plan, survivor: users[0], absorbed: users[1])
  }

  /// The merge that the command line names.
  func mergeID() throws(CommandFailure) -> MergeID {
    let text = arguments.positionals.first ?? ""
    guard let id = MergeID(text) else {
      throw CommandFailure(.usage, "\"\(text)\" is no merge's id", hint: "kith merge list shows them")
    }
    return id
  }

  /// Calls a method for one merge; see ``show(_:_:userNamed:_:)``.
  func showMerge<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, _ lines: (M.Result) -> [String]
  ) async throws(CommandFailure) {
    do throws(CommandFailure) {
      try await show(method, parameters, lines)
    } catch {
      throw error.ofMerge
    }
  }

  /// One merge with what it moved.
  func merge(_ id: MergeID) async throws(CommandFailure) -> MergeGet.Result {
    do throws(CommandFailure) {
      return try await withClient { client throws(ClientError) in
        try await client.call(MergeGet.self, MergeGet.Parameters(mergeID: id))
      }
    } catch {
      throw error.ofMerge
    }
  }
}

extension CommandFailure {
  /// The same where the daemon was asked for a merge.
  fileprivate var ofMerge: CommandFailure {
    guard exitCode == .notFound, message.hasPrefix("nothing") else { return self }
    return CommandFailure(.notFound, "there is no such merge", hint: "kith merge list shows them")
  }
}
