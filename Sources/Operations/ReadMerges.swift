import Accounts
import Postgres
import Store

/// Looks at merges, whether done or undone.
public struct ReadMerges: Sendable {
  /// One merge with what came along.
  public struct Found: Sendable {
    public let merge: MergeRecord
    /// The identities that came, also those that are gone since.
    public let identities: [IdentityID]
    /// The addresses that came, as they had been given.
    public let emails: [ExactText]
    /// The credentials that came and are still there.
    public let credentials: [CredentialPlace]
    /// The completed registrations that lead to the survivor by it.
    public let registrations: [RegistrationID]
    /// The users who had been merged into the absorbed one before.
    public let formerUsers: [UserID]
  }

  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Parameter groups: whose credentials are named.
  /// - Throws: `not_found`.
  public func get(_ id: MergeID, mayRead groups: AccessGroups) async throws(OperationError) -> Found {
    let limit = UserDetails.itemsMax
    return try await OperationError.translating { () throws(PostgresError) -> Found? in
      var pipeline = Pipeline.ofOneMoment
      let merge = pipeline.add(FindMerges.byID, id)
      let identities = pipeline.add(FindMerges.identities, (id, limit))
      let emails = pipeline.add(FindMerges.emails, (id, limit))
      let credentials = pipeline.add(FindMerges.credentials, (id, limit))
      let registrations = pipeline.add(FindMerges.registrations, (id, limit))
      let formerUsers = pipeline.add(FindMerges.formerUsers, (id, limit))
      let results = try await reads.run(pipeline)
      guard let merge = try results.first(of: merge) else { return nil }
      return Found(
        merge: merge, identities: try results.rows(of: identities), emails: try results.rows(of: emails),
        credentials: try results.rows(of: credentials).filter { groups.contains($0.accessGroup) },
        registrations: try results.rows(of: registrations), formerUsers: try results.rows(of: formerUsers))
    }.orNotFound()
  }

  /// The newest first.
  ///
  /// - Parameter user: only those of which this user was one of the two; nil for all. Not followed to a survivor.
  /// - Throws: `not_found` for a user who never was.
  public func list(
    of user: UserID?, page: PageRequest<ListMerges.Position>
  ) async throws(OperationError) -> ListPage<MergeRecord> {
    let question = ListMerges.Page(user: user, after: page.after, limit: page.probeLimit)
    return try await OperationError.translating { () throws(PostgresError) -> ListPage<MergeRecord>? in
      var pipeline = Pipeline()
      let asked = user.map { pipeline.add(GetUser.statement, $0) }
      let rows = pipeline.add(user == nil ? ListMerges.all : ListMerges.ofUser, question)
      let results = try await reads.run(pipeline)
      if let asked, try results.first(of: asked) == nil { return nil }
      return ListPage(try results.rows(of: rows), page) { $0.position.place }.map { rows in rows.map(\.merge) }
    }.orNotFound()
  }
}

extension ListMerges.Position: ListKey {
  public init?(place: ExactText) {
    guard let number = Int64(place.string), number > 0 else { return nil }
    self.init(number: number)
    guard self.place == place else { return nil }
  }

  public var place: ExactText { ExactText("\(number)") }
}
