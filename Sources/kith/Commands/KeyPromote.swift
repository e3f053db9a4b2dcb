import Terminal
import Vault

extension Command where Context == CommandContext {
  private static let id = OptionDeclaration("id", .text("ID"), "Which key (default: the last of the file)")

  static let keyPromote: Command = Command(
    "promote", "Make another key of a keyset file the one that seals",
    details: """
      The former one still opens what it has sealed. Every daemon must have read the
      key before: one that has not cannot open what the others seal with it.
      """,
    options: [.keyset, id]
  ) { context throws(CommandFailure) in
    let file = KeysetArgument(context)
    let former = try file.read()
    guard let key = try file.keyID(id) ?? former.keys.last?.id else { return }
    let keyset = try file.update { (former) throws(KeysetError) in
      guard let former else { throw KeysetError(.noKeys) }
      return try former.promoting(key)
    }
    file.tell(keyset, changed: key, "key \(key) is primary")
  }
}
