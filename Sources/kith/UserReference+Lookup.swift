import API
import Accounts
import KithClient
import Terminal

extension CommandContext {
  /// Says of a user who was not found how they were named.
  func namingUser<Value>(_ body: () async throws(CommandFailure) -> Value) async throws(CommandFailure) -> Value {
    do throws(CommandFailure) {
      return try await body()
    } catch {
      guard error.exitCode == .notFound, let name = arguments.positionals.first else { throw error }
      let hint = name.contains("@") ? "an address finds its verified holder only; for others: kith user search" : nil
      throw CommandFailure(.notFound, "no user is named by \"\(name)\"", hint: error.hint ?? hint)
    }
  }
}

extension UserReference {
  /// As many as are told when a beginning fits several.
  private static let candidatesTold = 5

  /// Reads the first positional.
  init(in context: CommandContext) throws(CommandFailure) {
    try self.init(context.arguments.positionals.first ?? "")
  }

  /// How the daemon is asked for this user. A beginning of an id is completed first.
  func selector(for context: CommandContext) async throws(CommandFailure) -> UserGet.Selector {
    switch self {
    case .id(let id): .id(id)
    case .email(let email): .email(email)
    case .identity(let provider, let subject):
      .identity(
        IdentitySelector(provider: ExactText(provider.rawValue), tenant: nil, subject: subject.text))
    case .idPrefix(let prefix): .id(try await Self.complete(prefix, context))
    }
  }

  /// The id of the user, of the survivor for one who was merged.
  func id(for context: CommandContext) async throws(CommandFailure) -> UserID {
    let selector = try await selector(for: context)
    return try await context.namingUser { () throws(CommandFailure) in
      try await context.withClient { client throws(ClientError) in
        try await client.call(UserGet.self, UserGet.Parameters(selector)).user.id
      }
    }
  }

  private static func complete(_ prefix: String, _ context: CommandContext) async throws(CommandFailure) -> UserID {
    let found = try await context.withClient { client throws(ClientError) in
      try await client.call(
        UserSearch.self,
        UserSearch.Parameters(query: ExactText(prefix), page: Page(limit: candidatesTold + 1))
      ).items.map(\.id).filter { $0.description.utf8.starts(with: prefix.utf8) }
    }
    guard let first = found.first else {
      throw CommandFailure(.notFound, "no user's id begins with \(prefix)")
    }
    guard found.count == 1 else {
      let told = found.prefix(candidatesTold).map(\.description).joined(separator: ", ")
      throw CommandFailure(
        .failed, "several users' ids begin with \(prefix): \(told)\(found.count > candidatesTold ? ", …" : "")",
        hint: "write more of the id")
    }
    return first
  }
}
