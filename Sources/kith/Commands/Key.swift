import Terminal

extension Command where Context == CommandContext {
  static let key: Command = Command(
    "key", "Look after the keys that records are sealed with",
    details: """
      add, promote and retire change a keyset file; status and rewrap ask the daemon.
      give-up is for when a keyset is lost, and goes straight to PostgreSQL.
      To change to a new key, with the daemons serving:
        kith key add --keyset FILE, then have every daemon read it
        kith key promote --keyset FILE, then have every daemon read it
        kith key rewrap
        kith key retire --keyset FILE, then have every daemon read it
      """,
    verbs: [.keyStatus, .keyAdd, .keyPromote, .keyRewrap, .keyRetire, .keyGiveUp])
}

extension OptionDeclaration {
  static let keyset = OptionDeclaration("keyset", .file("FILE"), isRequired: true, "The keyset file")
}
