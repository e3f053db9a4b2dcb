import API
import Terminal

extension Command where Context == CommandContext {
  static let keyStatus: Command = Command(
    "status", "Show the daemon's keys, and how much each seals",
    details: "The keyset is the one that the daemon read last."
  ) { context throws(CommandFailure) in
    try await context.show(KeyStatus.self, EmptyShape()) { status in
      context.lines(of: table(of: status.keys)) + advice(on: status.keys)
    }
  }

  private static func table(of keys: [KeyShape]) -> Table {
    Table(
      [
        Table.Column("KEY"), Table.Column("STATE"), Table.Column("RECORDS", isNumber: true),
        Table.Column("REGISTRATIONS", isNumber: true), Table.Column("CREDENTIALS", isNumber: true),
        Table.Column("ANSWERS", isNumber: true),
      ],
      rows: keys.map { key in
        [
          key.id.string, key.state.rawValue, "\(key.records)", "\(key.registrations)", "\(key.credentials)",
          "\(key.keptAnswers)",
        ]
      })
  }

  /// What stands between the keys and a keyset of one.
  private static func advice(on keys: [KeyShape]) -> [String] {
    if keys.contains(where: { ($0.state == .unknown || $0.state == .retired) && $0.records > 0 }) {
      return ["What a key seals that is unknown or retired cannot be opened; the daemon will not", "start like this."]
    }
    if keys.contains(where: { $0.state == .decryptOnly && $0.records > 0 }) {
      return ["To have the primary key alone seal everything: kith key rewrap"]
    }
    return []
  }
}
