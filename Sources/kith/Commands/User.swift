import API
import Accounts
import KithClient
import Terminal

extension PositionalDeclaration {
  static let user = PositionalDeclaration(
    "USER", "An id, the beginning of one, an e-mail address, or provider:subject")
}

extension OptionDeclaration {
  static let reason = OptionDeclaration("reason", .text("TEXT"), isRequired: true, "Why; kept in the audit")
  static let status = OptionDeclaration(
    "status", .choice("STATUS", UserStatus.allCases.map(\.rawValue)), "Only users of this status")
  static let limit = OptionDeclaration("limit", .text("N"), "Users at most, 1-1000 (default: 100)")
}

extension Command where Context == CommandContext {
  static let user: Command = Command(
    "user", "Look at users, and keep them from signing in",
    verbs: [.userShow, .userSearch, .userDisable, .userEnable])

  private static let userShow: Command = Command(
    "show", "Draw one user with everything that identifies them", positionals: [.user]
  ) { context throws(CommandFailure) in
    let selector = try await UserReference(in: context).selector(for: context)
    try await context.namingUser { () throws(CommandFailure) in
      try await context.show(UserGet.self, UserGet.Parameters(selector, include: Include.allCases)) { found in
        UserPicture(found).lines(in: context)
      }
    }
  }

  private static let userSearch: Command = Command(
    "search", "Find users by what is known of them",
    details: "QUERY is the beginning of an id, an e-mail address, a domain, a provider's id, or words of a name.",
    positionals: [PositionalDeclaration("QUERY", "What to look for")], options: [.status, .limit]
  ) { context throws(CommandFailure) in
    let limit = try context.limit()
    let parameters = UserSearch.Parameters(
      query: ExactText(context.arguments.positionals.first ?? ""),
      status: context.arguments.value(of: .status).flatMap { UserStatus(rawValue: $0) }, page: Page(limit: limit),
      include: context.wantsJSON ? nil : [.profile, .emails])
    try await context.show(UserSearch.self, parameters) { found in
      guard !found.items.isEmpty else { return ["nobody was found"] }
      let table = Table(
        [
          Table.Column("ID"), Table.Column("STATUS"), Table.Column("NAME", widthMin: 8),
          Table.Column("E-MAIL", widthMin: 12),
        ],
        rows: found.items.map { user in
          let verified = user.emails?.first(where: \.verified)?.email.string
          let claimed = user.emails?.first.map { "\($0.email) (claimed)" }
          return [
            user.id.description, user.status.rawValue, user.profile?.displayedName ?? "", verified ?? claimed ?? "",
          ]
        })
      let more = found.next == nil ? [] : ["there are more: narrow the search, or raise --limit"]
      return context.lines(of: table) + more
    }
  }

  private static let userDisable: Command = Command(
    "disable", "Keep a user from signing in", positionals: [.user], options: [.reason]
  ) { context throws(CommandFailure) in
    let change = try await context.reasonedChange("Disable")
    try await context.show(UserDisable.self, change) { ["\($0.user.id) is disabled"] }
  }

  private static let userEnable: Command = Command(
    "enable", "Let a disabled user sign in again", positionals: [.user], options: [.reason]
  ) { context throws(CommandFailure) in
    let change = try await context.reasonedChange("Enable")
    try await context.show(UserEnable.self, change) { ["\($0.user.id) is enabled"] }
  }
}

extension CommandContext {
  fileprivate func limit() throws(CommandFailure) -> Int? {
    guard let text = arguments.value(of: .limit) else { return nil }
    guard let limit = Int(text), (1...Page.limitMax).contains(limit) else {
      throw CommandFailure(.usage, "--limit is a number from 1 to \(Page.limitMax), not \"\(text)\"")
    }
    return limit
  }

  /// Finds the user and asks whether the change is meant.
  fileprivate func reasonedChange(_ verb: String) async throws(CommandFailure) -> ReasonedUserParameters {
    let id = try await UserReference(in: self).id(for: self)
    let named = arguments.positionals.first ?? ""
    try confirmation.ask("\(verb) user \(id)" + (ExactText(named) == ExactText(id.description) ? "?" : " (\(named))?"))
    return ReasonedUserParameters(id: id, reason: ExactText(arguments.value(of: .reason) ?? ""))
  }
}
