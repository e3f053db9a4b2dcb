import API
import Accounts
import Terminal

/// Draws a plan: both users side by side, what comes to the survivor, and what somebody should know before.
struct MergePicture {
  private let plan: MergePlan.Result
  private let survivor: UserShape
  private let absorbed: UserShape

  init(plan: MergePlan.Result, survivor: UserShape, absorbed: UserShape) {
    self.plan = plan
    self.survivor = survivor
    self.absorbed = absorbed
  }

  func lines(in context: CommandContext) -> [String] {
    context.lines(of: head) + [""] + context.lines(of: sideBySide) + section("comes to the survivor", coming, context)
      + section("to know", known, context)
  }

  private var head: Sheet {
    var sheet = Sheet()
    sheet.add("survivor", survivor.id.description)
    sheet.add("absorbed", absorbed.id.description)
    return sheet
  }

  private var sideBySide: Table {
    let (left, right) = (Self.rows(of: survivor), Self.rows(of: absorbed))
    let rows = zip(left, right).flatMap { left, right in
      // Each address and identity has a line of its own.
      (0..<max(left.values.count, right.values.count, 1)).compactMap { line -> [String]? in
        let values = [left, right].map { line < $0.values.count ? $0.values[line] : "" }
        guard values.contains(where: { !$0.isEmpty }) else { return nil }
        return [line == 0 ? left.label : ""] + values
      }
    }
    return Table(
      [Table.Column(""), Table.Column("SURVIVOR", widthMin: 12), Table.Column("ABSORBED", widthMin: 12)], rows: rows)
  }

  private static func rows(of user: UserShape) -> [(label: String, values: [String])] {
    [
      ("status", [user.status.rawValue]), ("created", [user.createdAt.description]),
      ("name", values(user.profile?.displayedName)), ("nickname", values(user.profile?.nickname?.string)),
      ("locale", values(user.profile?.locale?.string)), ("picture", values(user.profile?.picture?.string)),
      ("addresses", (user.emails ?? []).map { "\($0.email) (\($0.verified ? "verified" : "claimed"))" }),
      ("identities", (user.identities ?? []).map { "\($0.provider):\($0.tenant)" }),
    ]
  }

  private static func values(_ value: String?) -> [String] { value.map { [$0] } ?? [] }

  private func coming(_ context: CommandContext) -> [String] {
    let moves = plan.moves
    let identities = moves.identities.isEmpty ? [] : context.lines(of: Table(identities: moves.identities))
    let rest = Self.words(
      for: moves.emails.map(\.email), moves.credentials, moves.registrations)
    return identities + Self.wrapped(rest + ["\(Self.words(for: moves.counts)) in all"], context)
  }

  private func known(_ context: CommandContext) -> [String] {
    let conflicts = plan.conflicts.map { conflict in
      let what =
        conflict.email?.string ?? conflict.userID?.description
        ?? conflict.credential.map { "\($0.place.account) for \($0.place.service) in \($0.place.accessGroup)" }
      return (what.map { "\($0): " } ?? "") + conflict.message.string
    }
    let consumers = plan.consumers.map { consumer in
      let events = consumer.behind.counted("event", "events")
      return "\(consumer.name) of \(consumer.caller) has not seen \(events) about the two yet."
    }
    return Self.wrapped(conflicts + consumers, context)
  }

  /// How much moves, in words.
  static func words(for counts: MergeCountsShape) -> String {
    [
      (counts.identities, "identity", "identities"), (counts.emails, "address", "addresses"),
      (counts.credentials, "credential", "credentials"), (counts.registrations, "registration", "registrations"),
    ].map { $0.counted($1, $2) }.joined(separator: ", ")
  }

  /// What moves beside identities, a line each.
  static func words(
    for emails: [ExactText], _ credentials: [CredentialPlaceParameters], _ registrations: [RegistrationID]
  ) -> [String] {
    emails.map { "address \($0)" }
      + credentials.map { "credential of \($0.place.account) for \($0.place.service) in \($0.place.accessGroup)" }
      + registrations.map { "registration \($0)" }
  }

  static func wrapped(_ texts: [String], _ context: CommandContext) -> [String] {
    texts.flatMap { VisibleText($0).lines(widthMax: context.console.outputWidth ?? Table.widthUncut) }
  }

  private func section(
    _ title: String, _ lines: (CommandContext) -> [String], _ context: CommandContext
  ) -> [String] {
    let lines = lines(context)
    return lines.isEmpty ? [] : ["", context.palette.heading(title)] + lines
  }
}
