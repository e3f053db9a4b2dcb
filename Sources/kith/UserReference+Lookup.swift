import API
import Accounts
import JSONRPC
import KithClient
import Terminal

extension UserReference {
  /// As many as are told when a beginning fits several.
  private static let candidatesTold = 5
  /// A beginning may also be that of a name, and users of that name come in between; beyond so many it is too short to be
  /// meant for one.
  private static let pagesMax = 10

  /// Reads the first positional, and the tenant beside it.
  init(in context: CommandContext) throws(CommandFailure) {
    try self.init(context.arguments.positionals.first ?? "", tenant: context.arguments.value(of: .tenant))
  }

  /// How the daemon is asked for this user. A beginning of an id is completed first.
  func selector(for context: CommandContext) async throws(CommandFailure) -> UserGet.Selector {
    switch self {
    case .id(let id): .id(id)
    case .email(let email): .email(email)
    case .identity(let provider, let tenant, let subject):
      .identity(
        IdentitySelector(provider: ExactText(provider.rawValue), tenant: tenant, subject: subject.text))
    case .idPrefix(let prefix): .id(try await Self.complete(prefix, context))
    }
  }

  /// The id of the user; of the survivor, and the person is told, for one who was merged.
  ///
  /// - Parameter named: how the person named them.
  func id(for context: CommandContext, named: String? = nil) async throws(CommandFailure) -> UserID {
    guard let found = try await find(try await selector(for: context), for: context, named: named) else {
      throw CommandFailure(.notFound, "the user was erased")
    }
    context.tellIfMerged(found)
    return found.user.id
  }

  /// The same for what is kept of users for ever: of one who is erased the id that was named.
  func idEvenIfErased(for context: CommandContext, named: String) async throws(CommandFailure) -> UserID {
    let selector = try await selector(for: context)
    if let found = try await find(selector, for: context, named: named) {
      context.tellIfMerged(found)
      return found.user.id
    }
    guard case .id(let erased) = selector else { throw CommandFailure(.notFound, "the user was erased") }
    return erased
  }

  /// Nil for a user who is erased.
  func find(
    _ selector: UserGet.Selector, for context: CommandContext, named: String? = nil, include: [Include]? = nil
  ) async throws(CommandFailure) -> UserGet.Result? {
    try await context.withClient(userNamed: named ?? context.nameOfUser) { client throws(ClientError) in
      do throws(ClientError) {
        return try await client.call(UserGet.self, UserGet.Parameters(selector, include: include))
      } catch {
        if case .refused(let refusal) = error, refusal.reason == .userErased { return nil }
        throw error
      }
    }
  }

  private static func complete(_ prefix: String, _ context: CommandContext) async throws(CommandFailure) -> UserID {
    let found = try await context.withClient { client throws(ClientError) in
      try await users(whoseIDsBeginWith: prefix, client)
    }
    guard let first = found.first else {
      throw CommandFailure(
        .notFound, "no user's id begins with \(prefix)", hint: "kith user search finds users by other things")
    }
    guard found.count == 1 else {
      let told = found.prefix(candidatesTold).map(\.description).joined(separator: ", ")
      throw CommandFailure(
        .failed, "several users' ids begin with \(prefix): \(told)\(found.count > candidatesTold ? ", …" : "")",
        hint: "write more of the id")
    }
    return first
  }

  /// No more than are needed to tell.
  private static func users(
    whoseIDsBeginWith prefix: String, _ client: KithClient
  ) async throws(ClientError) -> [UserID] {
    var found: [UserID] = []
    var page = Page(limit: Page.limitMax)
    for _ in 0..<pagesMax where found.count <= candidatesTold {
      let result = try await client.call(UserSearch.self, UserSearch.Parameters(query: ExactText(prefix), page: page))
      found += result.items.map(\.id).filter { $0.description.utf8.starts(with: prefix.utf8) }
      guard let next = result.next else { break }
      page.after = next
    }
    return found
  }
}

extension CommandContext {
  /// Tells a person who named a user by a former id whom they get instead.
  func tellIfMerged(_ found: UserGet.Result) {
    guard let merged = found.requestedID else { return }
    console.writeError(lines: ["kith: note: \(merged) was merged into \(found.user.id)"])
  }

  /// How the person named the user.
  var nameOfUser: String {
    let name = arguments.positionals.first ?? ""
    return arguments.value(of: .tenant).map { "\(name) of \($0)" } ?? name
  }
}
