import Terminal

extension Command where Context == CommandContext {
  static let audit: Command = Command(
    "audit", "Look at who changed what and why, and check that record", verbs: [.auditList, .auditVerify])
}
