import Accounts
import Postgres
import Store

/// What a merge or its undo finds of its two users once everything is locked.
struct MergePair {
  let users: [StoredUser]
  /// The credentials that are to move.
  let credentials: [MoveCredentials.Found]
  /// The places that are locked.
  private let places: Set<CredentialPlace>

  fileprivate init(users: [StoredUser], credentials: [MoveCredentials.Found], places: Set<CredentialPlace>) {
    self.users = users
    self.credentials = credentials
    self.places = places
  }

  subscript(_ id: UserID) -> StoredUser? { users.first { $0.user == id } }

  /// Whether all places are locked, which were looked up before: one may have been taken since.
  var isComplete: Bool { credentials.allSatisfy { places.contains($0.place) } }
}

extension MergePair {
  /// Finds out which places are concerned, and gives back how they, the two users, and what `more` asks for are locked and
  /// read.
  static func lock<More>(
    _ survivor: UserID, _ absorbed: UserID, moving extent: MoveCredentials.Extent, reads: Pool,
    _ more: @escaping (inout Pipeline) -> (PipelineResults) throws(PostgresError) -> More
  ) async throws(PostgresError) -> ChangeLock<(MergePair, More)> {
    // One more than may be moved shows that there are too many.
    let input = (extent: extent, limit: Int32(CredentialMove.credentialsMax + 1))
    let places = try await reads.rows(MoveCredentials.places, input).map(\.place)
    return ChangeLock { pipeline, gate in
      if !places.isEmpty {
        pipeline.add(MoveCredentials.lock, MoveCredentials.LockQuestion(places: places, gate: gate))
      }
      let users = LockUserPair.add(LockUserPair.Question(survivor, absorbed, gate: gate), to: &pipeline)
      let credentials = pipeline.add(MoveCredentials.places, input)
      let reading = more(&pipeline)
      return { results throws(PostgresError) in
        let pair = MergePair(
          users: try results.rows(of: users), credentials: try results.rows(of: credentials), places: Set(places))
        return (pair, try reading(results))
      }
    }
  }
}
