import Accounts
import Postgres
import Store

/// Finds one user by what is known of them.
public struct FindUser: Sendable {
  /// By what a user is looked for.
  public enum Selector: Sendable {
    /// Their id, or that of a user who was merged into them.
    case id(UserID)
    case identity(StoredKey)
    /// An address that they hold as verified.
    case email(EmailAddress)
  }

  public struct Found: Sendable {
    public let user: UserRecord
    /// The id that was asked for, if that user was merged into this one.
    public let requestedID: UserID?
  }

  /// Whose an identity or address is may change while we look; more often than this in so short a time it does not.
  private static let looksMax = 8

  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// - Throws: `not_found`, or `user_erased`.
  public func find(_ selector: Selector, include: Set<UserPart>) async throws(OperationError) -> Found {
    switch selector {
    case .id(let id): try await find(id, include)
    case .identity(let key): try await find(FindUsers.byIdentity, key, include)
    case .email(let address): try await find(FindUsers.byAddress, address.canonical, include)
    }
  }

  private func find(_ id: UserID, _ include: Set<UserPart>) async throws(OperationError) -> Found {
    let reading = try await UserReading.read(id, from: reads) { user, pipeline in
      UserDetails.Plan(include, of: user, in: &pipeline)
    }
    let details = try await OperationError.translating { () throws(PostgresError) in
      include.isEmpty ? nil : try reading.plan.details(from: reading.results)
    }
    let user = reading.user
    return Found(
      user: UserRecord(user: user.user, status: user.status, details: details),
      requestedID: user.user == id ? nil : id)
  }

  private func find<Key>(
    _ statement: Statement<Key, StoredUser>, _ key: Key, _ include: Set<UserPart>
  ) async throws(OperationError) -> Found {
    try await OperationError.translating { () throws(PostgresError) -> Found? in
      guard var user = try await reads.rows(statement, key).first else { return nil }
      guard !include.isEmpty else { return Found(user, details: nil) }
      for _ in 0..<Self.looksMax {
        // What is theirs is of the moment in which it is they who are found.
        var pipeline = Pipeline.ofOneMoment
        let slot = pipeline.add(statement, key)
        let plan = UserDetails.Plan(include, of: user.user, in: &pipeline)
        let results = try await reads.run(pipeline)
        guard let found = try results.first(of: slot) else { return nil }
        if found.user == user.user { return Found(found, details: try plan.details(from: results)) }
        user = found
      }
      throw .unexpectedAnswer("whoever is looked for is somebody else at every look")
    }.orNotFound()
  }
}

extension FindUser.Found {
  fileprivate init(_ user: StoredUser, details: UserDetails?) {
    self.init(user: UserRecord(user: user.user, status: user.status, details: details), requestedID: nil)
  }
}

extension Optional {
  /// The value; nothing found is a refusal.
  func orNotFound() throws(OperationError) -> Wrapped {
    guard let self else { throw .refused(.notFound) }
    return self
  }
}
