import Accounts
import Crypto
import Postgres
import Store
import Vault

/// Adds addresses to users, proves them, and takes them off.
public struct ChangeUserEmails: Sendable {
  /// One address of one user.
  public struct Place: Sendable {
    /// Also a former id: the survivor's address is meant then.
    public let user: UserID
    public let email: EmailAddress

    public init(user: UserID, email: EmailAddress) {
      self.user = user
      self.email = email
    }
  }

  /// An address with the token that proves it.
  public struct Added: Sendable {
    public let email: EmailRecord
    /// To be sent to the address; nobody is told it a second time.
    public let token: SecretBytes
    public let expiresAt: Timestamp
  }

  /// A message may wait for its reader overnight; what is not read by then is asked for again.
  public static let tokenSeconds: Double = 86_400

  private let writes: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances
  private let random: RandomSource

  /// - Parameter random: where tokens come from.
  public init(writes: Pool, sealer: SharedSealer, circumstances: Circumstances, random: RandomSource = .system) {
    self.writes = writes
    self.sealer = sealer
    self.circumstances = circumstances
    self.random = random
  }

  /// The user claims the address, and gets a token in the place of any before. A removed address can come back from now on.
  ///
  /// - Throws: `not_found`, `user_erased`, `user_disabled`, `email_taken`, `request_key_reused`, or `in_progress`.
  public func add(_ place: Place, call: ChangeCall<Added>) async throws(OperationError) -> Answer<Added> {
    let canonical = place.email.canonical
    return try await KeyedChange(
      call: call, pool: writes, circumstances: circumstances, sealer: sealer,
      concern: { _ in KeptAnswers.Concern(user: place.user) }, lock: LockedEmail.lock(place, isProved: false)
    ) { locked, moment throws(OperationError) in
      guard let (user, found) = try locked.found(place.user) else { return .lookAgain }
      try OperationError.translating { () throws(Refusal) in
        try user.status.checkActive()
        if found.isHeldElsewhere { throw .emailTaken }
      }
      let token = try newToken()
      let kept = ChangeEmail.NewToken(
        user: user.user, address: canonical, digest: token.digest, epoch: found.epoch,
        expiresAt: moment.at.advanced(bySeconds: Self.tokenSeconds))
      var pipeline = Pipeline()
      pipeline.add(
        RemovedAddresses.takeBack, RemovedAddresses.Place(user: user.user, address: canonical, at: moment.at))
      pipeline.add(
        RecordAddresses.statement,
        [RecordAddresses.Record(user: user.user, address: place.email, addedAt: moment.at, voucher: nil)])
      pipeline.add(ChangeEmail.keepToken, kept)
      let email =
        found.email
        ?? EmailRecord(
          email: ExactText(place.email.asGiven), canonical: canonical, verified: false, vouchers: [],
          isProvedByToken: false, addedAt: moment.at)
      return .changed(
        Added(email: email, token: token.text, expiresAt: kept.expiresAt), pipeline, .emailToken(kept))
    }.run()
  }

  /// The token came back, so the address is the user's; those who only claimed it lose it.
  ///
  /// - Throws: `not_found`, `user_erased`, `user_disabled`, `proof_rejected`, `challenge_used`, `challenge_expired`,
  ///   `email_taken`, `request_key_reused`, or `in_progress`.
  public func verify(
    _ place: Place, token: SecretBytes, call: ChangeCall<EmailRecord>
  ) async throws(OperationError) -> Answer<EmailRecord> {
    let canonical = place.email.canonical
    let digest = EmailToken(token).digest
    return try await KeyedChange(
      call: call, pool: writes, circumstances: circumstances,
      concern: { _ in KeptAnswers.Concern(user: place.user) }, lock: LockedEmail.lock(place, isProved: true)
    ) { locked, moment throws(OperationError) in
      guard let (user, found) = try locked.found(place.user) else { return .lookAgain }
      guard let email = found.email, let token = found.token else { throw .tokenRefused(.proofRejected) }
      try OperationError.translating { () throws(Refusal) in try user.status.checkActive() }
      do throws(Refusal) {
        try EmailTokenFacts(
          isRight: ConstantTime.areEqual(token.digest, digest), isOfThisEpoch: token.epoch == found.epoch,
          expiresAt: token.expiresAt, isUsed: token.usedAt != nil
        ).check(at: moment.at)
      } catch {
        throw .tokenRefused(error)
      }
      try OperationError.translating { () throws(Refusal) in
        if found.isHeldElsewhere { throw .emailTaken }
      }
      let result = EmailRecord(
        email: email.email, canonical: canonical, verified: true, vouchers: email.vouchers, isProvedByToken: true,
        addedAt: email.addedAt)
      let used = ChangeEmail.UsedToken(user: user.user, address: canonical, at: moment.at)
      var pipeline = Pipeline()
      guard !email.verified else {
        pipeline.add(ChangeEmail.verify, used)
        return .changed(result, pipeline, .emailVerified(used))
      }
      pipeline.add(
        DropClaims.statement,
        [DropClaims.Record(address: canonical, user: user.user, at: moment.at, caller: call.caller)])
      pipeline.add(ChangeEmail.verify, used)
      let written = moment.tell(
        .emailVerified(user.user, email: canonical), by: call.caller, circumstances, in: &pipeline)
      return .changed(result, pipeline, .event(written))
    }.run()
  }

  /// The address is the user's no longer, and no sign-in brings it back.
  ///
  /// - Throws: `not_found` where the user does not have it, `user_erased`, `last_sign_in_method`, `request_key_reused`, or
  ///   `in_progress`.
  public func remove(
    _ place: Place, reason: ChangeReason?, call: ChangeCall<Void>
  ) async throws(OperationError) -> Answer<Void> {
    let canonical = place.email.canonical
    return try await KeyedChange(
      call: call, pool: writes, circumstances: circumstances, lock: LockedEmail.lock(place, isProved: false)
    ) { locked, moment throws(OperationError) in
      guard let (user, found) = try locked.found(place.user) else { return .lookAgain }
      guard let email = found.email else { throw .refused(.notFound) }
      if email.verified, found.waysWithout.hasPassword {
        try OperationError.translating { () throws(Refusal) in try found.waysWithout.checkUsable() }
      }
      var pipeline = Pipeline()
      pipeline.add(
        RemovedAddresses.remove, RemovedAddresses.Place(user: user.user, address: canonical, at: moment.at))
      let dropped = Event.emailClaimDropped(user.user, email: canonical)
      let written: WrittenEvent
      if email.verified {
        pipeline.add(BeginEpoch.statement, user.user)
        written = moment.tell(
          .emailUnverified(user.user, email: canonical), [dropped], by: call.caller, circumstances, in: &pipeline)
      } else {
        written = moment.tell(dropped, by: call.caller, circumstances, in: &pipeline)
      }
      pipeline.add(
        AppendAudit.statement,
        AppendAudit.Record(
          caller: call.caller, peerUID: call.peerUID, action: "email.remove", user: user.user, reason: reason))
      return .changed((), pipeline, .event(written))
    }.run()
  }

  private func newToken() throws(OperationError) -> EmailToken {
    do throws(CryptoError) {
      return try EmailToken(random: random)
    } catch {
      throw .unexpected(.unexpectedAnswer("no token can be made: \(error)"))
    }
  }
}

/// What is found of an address once it and its user are locked.
private struct LockedEmail {
  private let users: [StoredUser]
  /// Whether everybody is locked whom the change may concern.
  private let isComplete: Bool
  private let email: ChangeEmail.Found?

  /// - Parameter isProved: whether the address may be taken from those who only claim it.
  static func lock(_ place: ChangeUserEmails.Place, isProved: Bool) -> ChangeLock<LockedEmail> {
    let canonical = place.email.canonical
    return ChangeLock { pipeline, gate in
      pipeline.add(AdvisoryLock.acquireOne, (.address(canonical), gate))
      let questions = LockUsers.Questions(
        [LockUsers.Question(address: isProved ? canonical : nil, isVouchedFor: isProved, user: place.user)], gate: gate)
      let locked = pipeline.add(LockUsers.statement, questions)
      let concerned = pipeline.add(LockUsers.concerned, questions)
      let users = pipeline.add(LockUser.rows, LockUser.Question(user: place.user, gate: gate))
      let email = pipeline.add(ChangeEmail.find, ChangeEmail.Question(user: place.user, address: canonical))
      return { results throws(PostgresError) in
        LockedEmail(
          users: try results.rows(of: users),
          isComplete: Set(try results.rows(of: locked)).isSuperset(of: try results.rows(of: concerned)),
          email: try results.first(of: email))
      }
    }
  }

  /// The user whom an id means, and how the address stands with them; nil if somebody was moved meanwhile.
  ///
  /// - Throws: `not_found`, or `user_erased`.
  func found(_ id: UserID) throws(OperationError) -> (user: StoredUser, email: ChangeEmail.Found)? {
    guard isComplete, let user = try users.user(of: id) else { return nil }
    return email.map { (user, $0) }
  }
}
