import Terminal

extension Command where Context == CommandContext {
  static let audit: Command = Command(
    "audit", "Look at who changed what and why, and whether that record is whole", verbs: [.auditList, .auditVerify])
}
