import Terminal

extension Command where Context == CommandContext {
  static let event: Command = Command("event", "Follow what happens to users", verbs: [.eventTail])
}
