import API
import Accounts
import KithClient
import Terminal
import Vault

extension Command where Context == CommandContext {
  private static let id = OptionDeclaration("id", .text("ID"), "Which key (default: the only one that just opens)")

  static let keyRetire: Command = Command(
    "retire", "Take a key of a keyset file out of use",
    details: """
      Asks the daemon first, and refuses while the key seals anything (kith key rewrap
      sees to that) or while sign-ins wait in its spool, which are sealed too. The key
      stays in the file, retired; a daemon that still finds something sealed by it
      does not take the file.
      """,
    options: [.keyset, id]
  ) { context throws(CommandFailure) in
    let file = KeysetArgument(context)
    let named = try file.keyID(id)
    let key = if let named { named } else { try onlyKey(thatOpensIn: try file.read()) }
    // Says what is wrong with the wish itself before the daemon is asked.
    try file.check { (keyset) throws(KeysetError) in try keyset.retiring(key) }
    try await expectUnused(key, context)
    try context.confirmation.ask("Retire key \(key) of \(file.path)?")
    let keyset = try file.update { (former) throws(KeysetError) in
      guard let former else { throw KeysetError(.noKeys) }
      return try former.retiring(key)
    }
    file.tell(keyset, changed: key, "key \(key) is retired; nothing is sealed by it")
  }

  private static func onlyKey(thatOpensIn keyset: Keyset) throws(CommandFailure) -> KeyID {
    let keys = keyset.keys.filter { $0.state == .decryptOnly }.map(\.id)
    guard let key = keys.first, keys.count == 1 else {
      guard !keys.isEmpty else {
        throw CommandFailure(
          .failed, "the keyset has no key to retire: none only opens", hint: "promote another one first")
      }
      let names = keys.map { "\($0)" }.joined(separator: ", ")
      throw CommandFailure(.usage, "several keys only open: \(names)", hint: "name one with --id")
    }
    return key
  }

  private static func expectUnused(_ key: KeyID, _ context: CommandContext) async throws(CommandFailure) {
    let (status, spool) = try await context.withClient { client throws(ClientError) in
      (
        try await client.call(KeyStatus.self, EmptyShape()),
        try await client.call(ServerStatus.self, EmptyShape()).spool
      )
    }
    guard let told = status.keys.first(where: { $0.id == key.text }) else { return }
    guard told.state != .primary else {
      throw CommandFailure(
        .failed, "the daemon still seals with key \(key)",
        hint: "have it read the keyset again: \(KeysetArgument.reload)")
    }
    guard told.records == 0 else {
      throw CommandFailure(
        .failed, "key \(key) still seals \(told.records.counted("record", "records"))",
        hint: "wrap them anew first: kith key rewrap")
    }
    // Which key sealed them the daemon does not tell, and the next one that starts has to open them.
    guard spool.entries == 0 else {
      throw CommandFailure(
        .failed,
        "\(spool.entries) \(spool.entries == 1 ? "sign-in waits" : "sign-ins wait") in the daemon's spool, "
          + "perhaps sealed by key \(key)",
        hint: "they go to the database once it takes them: kith status")
    }
  }
}
