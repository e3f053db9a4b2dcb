import Crypto
import Terminal
import Vault

extension Command where Context == CommandContext {
  private static let id = OptionDeclaration("id", .text("ID"), "What to call it (default: a new name)")

  static let keyAdd: Command = Command(
    "add", "Add a new key to a keyset file, or make the file with its first key",
    details: """
      The first key is primary: it seals. A later one only opens until it is
      promoted, so that every daemon can read it before the first one uses it.
      The file is made with mode 0600. Whoever loses it loses what is sealed: back it
      up, apart from the database.
      """,
    options: [.keyset, id]
  ) { context throws(CommandFailure) in
    let file = KeysetArgument(context)
    let id = try file.keyID(id)
    let keyset = try file.update { (former) throws(KeysetError) in
      try Keyset.growing(former, by: id, random: .system)
    }
    guard let key = keyset.keys.last else { return }
    let words =
      keyset.keys.count == 1
      ? "\(file.path) is made; its key \(key.id) is primary"
      : "key \(key.id) is added; it opens, and seals once it is promoted"
    let waiting = keyset.keys.drop { $0.state != .primary }.filter { $0.state == .decryptOnly && $0.id != key.id }
    guard !waiting.isEmpty else { return file.tell(keyset, changed: key.id, words) }
    let names = waiting.map { "\($0.id)" }.joined(separator: ", ")
    file.tell(
      keyset, changed: key.id, words,
      "\(names) was added before and is not promoted yet: kith key promote takes \(key.id)",
      "unless --id names another")
  }
}
