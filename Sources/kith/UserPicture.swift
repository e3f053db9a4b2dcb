import API
import Accounts
import Terminal

/// Draws one user: who they are, their addresses and what vouches for each, their identities and how they came.
struct UserPicture {
  private let user: UserShape
  private let requestedID: UserID?
  /// Those that stand, into this user.
  private let merges: [MergeGet.Result]

  init(_ found: UserGet.Result, merges: [MergeGet.Result]) {
    user = found.user
    requestedID = found.requestedID
    self.merges = merges
  }

  func lines(in context: CommandContext) -> [String] {
    context.lines(of: head) + section("addresses", addresses, context) + section("identities", identities, context)
  }

  private var head: Sheet {
    var sheet = Sheet()
    sheet.add("user", user.id.description)
    sheet.add("asked for", requestedID.map { "\($0), merged into this user" })
    for (position, id) in formerIDs.enumerated() { sheet.add(position == 0 ? "former ids" : "", id.description) }
    sheet.add("status", user.status.rawValue)
    sheet.add("created", user.createdAt.description)
    sheet.add("name", user.profile?.displayedName)
    sheet.add("nickname", user.profile?.nickname?.string)
    sheet.add("locale", user.profile?.locale?.string)
    sheet.add("picture", user.profile?.picture?.string)
    return sheet
  }

  private var addresses: Table? {
    guard let emails = user.emails, !emails.isEmpty else { return nil }
    return Table(
      [Table.Column("E-MAIL", widthMin: 16), Table.Column("STANDING"), Table.Column("VOUCHED FOR BY", widthMin: 12)],
      rows: emails.flatMap(rows))
  }

  /// Each source on a line of its own.
  private func rows(of email: EmailShape) -> [[String]] {
    let sources = email.sources.isEmpty ? [""] : email.sources.map(source)
    return sources.enumerated().map { number, source in
      number == 0 ? [email.email.string, email.verified ? "verified" : "claimed", source] : ["", "", source]
    }
  }

  /// An identity by its provider rather than by its id, which says nothing to a person.
  private func source(_ id: ExactText) -> String {
    let identity = user.identities?.first { ExactText($0.id.description) == id }
    return identity.map { "\($0.provider):\($0.tenant)" } ?? (id == "email_token" ? "a token sent there" : id.string)
  }

  private var identities: Table? {
    guard let identities = user.identities, !identities.isEmpty else { return nil }
    return Table(identities: identities) { identity in
      origin(of: identity).map { ["came with \($0)"] } ?? []
    }
  }

  private var formerIDs: [UserID] { merges.flatMap { [$0.merge.absorbed] + $0.formerIDs } }

  /// Whose it was before a merge.
  private func origin(of identity: IdentityShape) -> UserID? {
    merges.first { $0.identities.contains(identity.id) }?.merge.absorbed
  }

  private func section(_ title: String, _ table: Table?, _ context: CommandContext) -> [String] {
    ["", context.palette.heading(title)] + (table.map { context.lines(of: $0) } ?? ["none"])
  }
}

extension ProfileShape {
  /// The name to show.
  var displayedName: String? { name?.name.displayed?.string }
}

extension UserShape {
  /// The address to reach the user by: a verified one if there is any; empty for none.
  var displayedAddress: String {
    let emails = emails ?? []
    if let verified = emails.first(where: \.verified) { return verified.email.string }
    return emails.first.map { "\($0.email) (claimed)" } ?? ""
  }
}
