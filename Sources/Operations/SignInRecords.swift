import Accounts
import Postgres
import Store
import Vault

/// What a batch of decisions writes, gathered so that each kind is one statement.
struct SignInRecords {
  let at: Timestamp
  /// The sign-ins that changed something.
  private(set) var changed: Set<StoredKey> = []
  /// To be written after everything else.
  private(set) var audits: [AppendAudit.Record] = []

  private let sealer: Sealer
  private let circumstances: Circumstances
  private var claimsDropped: [DropClaims.Record] = []
  private var users: [InsertUsers.Record] = []
  private var identities: [InsertIdentities.Record] = []
  private var identityEmails: [RecordIdentityEmails.Record] = []
  private var vouchingStopped: [StopVouching.Record] = []
  private var addresses: [RecordAddresses.Record] = []
  private var profiles: [UpdateProfiles.Record] = []
  private var challenges: [InsertChallenges.Record] = []
  private var challengesAnswered: [AnswerChallenges.Record] = []
  private var unlinkingsTakenBack: [TakeBackUnlinkings.Record] = []
  private var registrationsExpired: [RegistrationID] = []
  private var registrationsHeld: [WriteRegistrations.Record] = []
  private var registrationsResealed: [WriteRegistrations.Record] = []
  private var registrationsRenewed: [HeldRegistration] = []
  private var registrationsCompleted: [CompleteRegistrations.Record] = []
  private var events: [InsertEvents.Record] = []

  init(sealer: Sealer, circumstances: Circumstances) {
    self.sealer = sealer
    self.circumstances = circumstances
    at = circumstances.now()
  }

  var isEmpty: Bool { changed.isEmpty }

  /// The statements, in an order in which each finds what it refers to.
  var pipeline: Pipeline {
    var pipeline = Pipeline()
    if !claimsDropped.isEmpty { pipeline.add(DropClaims.statement, claimsDropped) }
    if !users.isEmpty { pipeline.add(InsertUsers.statement, users) }
    if !identities.isEmpty { pipeline.add(InsertIdentities.statement, identities) }
    if !identityEmails.isEmpty { pipeline.add(RecordIdentityEmails.statement, identityEmails) }
    if !vouchingStopped.isEmpty { pipeline.add(StopVouching.statement, vouchingStopped) }
    if !addresses.isEmpty { pipeline.add(RecordAddresses.statement, addresses) }
    if !profiles.isEmpty { pipeline.add(UpdateProfiles.statement, profiles) }
    if !registrationsExpired.isEmpty {
      pipeline.add(ChangeRegistration.dropExpired, (registrations: registrationsExpired, at: at))
    }
    if !registrationsHeld.isEmpty { pipeline.add(WriteRegistrations.insert, registrationsHeld) }
    if !registrationsResealed.isEmpty { pipeline.add(WriteRegistrations.reseal, registrationsResealed) }
    if !registrationsRenewed.isEmpty { pipeline.add(WriteRegistrations.renew, registrationsRenewed) }
    if !registrationsCompleted.isEmpty { pipeline.add(CompleteRegistrations.statement, registrationsCompleted) }
    if !unlinkingsTakenBack.isEmpty { pipeline.add(TakeBackUnlinkings.statement, unlinkingsTakenBack) }
    if !challenges.isEmpty { pipeline.add(InsertChallenges.statement, challenges) }
    if !challengesAnswered.isEmpty { pipeline.add(AnswerChallenges.statement, challengesAnswered) }
    if !events.isEmpty { pipeline.add(InsertEvents.statement, events) }
    return pipeline
  }

  /// Adds what a decision writes and gives the result to answer.
  ///
  /// - Parameter found: the identity as stored, for a decision about a known one.
  /// - Throws: `sealing` only.
  mutating func add(
    _ decision: SignInDecision, for job: SignInJob, found: FoundIdentity?
  ) throws(OperationError) -> SignInResult {
    switch decision {
    case .signIn(let user, let identity, let change):
      guard let found else { preconditionFailure("a known identity was decided about but not found") }
      if let held = job.resuming { complete(held, by: user, for: job) }
      guard let change else {
        return .user(
          .signedIn, user, identity: found.record(of: job.claims.identity), details: nil, isResumed: false)
      }
      add(change, of: identity, user: user, for: job, decision)
      let record = job.claims.record(identity, of: user, linkedAt: found.linkedAt, by: found.linkedBy)
      return .user(.signedIn, user, identity: record, details: nil, isResumed: false)
    case .link(let user, let by, let filled, let email):
      if let filled { profiles.append(UpdateProfiles.Record(user: user, profile: filled, at: at)) }
      if by != .verifiedEmail { unlinkingsTakenBack.append(TakeBackUnlinkings.Record(key: job.key, user: user)) }
      return add(identityOf: user, by: by, email, for: job, .linked, decision)
    case .register(let profile, let email):
      let user = circumstances.newID(UserID.self, at: at)
      users.append(InsertUsers.Record(user: user, profile: profile))
      return add(identityOf: user, by: .registration, email, for: job, .registered, decision)
    case .hold:
      let (held, isNew) = try hold(job)
      let result = SignInResult.held(held, isResumed: job.resuming != nil)
      if isNew { remember(held, result, for: job) }
      return result
    case .challenge(let candidates):
      // Whoever proves to be a candidate goes on with the details, and whoever does not can come again without them.
      let (held, isNew) = try hold(job)
      let result = SignInResult.linkRequired(
        add(challengeTo: candidates, for: job), isResumed: job.resuming != nil)
      if isNew { remember(held, result, for: job) }
      return result
    case .notFound:
      return .notFound
    }
  }

  /// The same for the answer to a challenge. A wrong proof is counted, and refused all the same.
  mutating func add(
    _ decision: ConfirmDecision, about challenge: StoredChallenge, for job: SignInJob, found: FoundIdentity?
  ) throws(OperationError) -> SignInJob.Ending {
    changed.insert(job.key)
    switch decision {
    case .accepted(let decision):
      let ending = SignInJob.Ending.answered(.new(try add(decision, for: job, found: found)))
      answer(challenge, wrongProofs: challenge.facts.wrongProofs, usedAt: at)
      job.attempt = SignInJob.Attempt(mark: .challengeUsed(at: at), ending: ending)
      return ending
    case .rejected(let wrong, let wrongProofs):
      let ending = SignInJob.Ending.failed(.proofRejected(wrong))
      answer(challenge, wrongProofs: wrongProofs, usedAt: nil)
      job.attempt = SignInJob.Attempt(mark: .wrongProofs(wrongProofs), ending: ending)
      return ending
    }
  }

  private mutating func answer(_ challenge: StoredChallenge, wrongProofs: Int, usedAt: Timestamp?) {
    challengesAnswered.append(
      AnswerChallenges.Record(challenge: challenge.challenge, wrongProofs: wrongProofs, usedAt: usedAt))
  }
  /// Drops what was held for too long, of an identity that something else is written of.
  mutating func drop(_ expired: StoredRegistration) { registrationsExpired.append(expired.registration) }

  private mutating func add(
    identityOf user: UserID, by linkedBy: LinkedBy, _ email: RegisteredEmail, for job: SignInJob,
    _ outcome: SignInResult.Outcome, _ decision: SignInDecision
  ) -> SignInResult {
    let identity = circumstances.newID(IdentityID.self, at: at)
    identities.append(
      InsertIdentities.Record(
        identity: identity, key: job.key, user: user, email: job.claims.email, linkedAt: at,
        linkedBy: linkedBy, caller: job.request.caller))
    add(email, of: user, voucher: identity, for: job)
    tell(decision, user: user, identity: identity, for: job)
    if case .link(_, let peerUID, let reason) = job.request.purpose {
      audits.append(
        AppendAudit.Record(
          caller: job.request.caller, peerUID: peerUID, action: "identity.link", user: user, reason: reason,
          identity: identity))
    }
    let result = SignInResult.user(
      outcome, user, identity: job.claims.record(identity, of: user, linkedAt: at, by: linkedBy), details: nil,
      isResumed: job.resuming != nil)
    if let held = job.resuming { complete(held, by: user, for: job) }
    job.attempt = SignInJob.Attempt(mark: .identity(identity), ending: .answered(.new(result)))
    return result
  }

  private mutating func add(
    _ change: EmailChange, of identity: IdentityID, user: UserID, for job: SignInJob, _ decision: SignInDecision
  ) {
    identityEmails.append(RecordIdentityEmails.Record(identity: identity, email: change.email, at: at))
    if let address = change.stopsVouchingFor {
      vouchingStopped.append(
        StopVouching.Record(identity: identity, user: user, address: address, at: at, caller: job.request.caller))
    }
    if change.dropsClaimsOfOthers { drop(claimsTo: change.email.address, by: user, for: job) }
    switch change.standing {
    case .vouched: add(change.email.address, of: user, voucher: identity)
    case .claimed: add(change.email.address, of: user, voucher: nil)
    case .removed: break
    }
    tell(decision, user: user, identity: identity, for: job)
  }

  private mutating func add(challengeTo candidates: [ChallengeCandidate], for job: SignInJob) -> Challenge {
    let challenge = Challenge(
      id: circumstances.newID(at: at), expiresAt: at.advanced(bySeconds: job.request.challengeSeconds),
      candidates: candidates)
    for candidate in candidates {
      challenges.append(
        InsertChallenges.Record(
          challenge: challenge.id, key: job.key, caller: job.request.caller, candidate: candidate,
          madeAt: at, expiresAt: challenge.expiresAt))
    }
    changed.insert(job.key)
    return challenge
  }

  /// Keeps the job's details. Where they are held already, word for word, they are said now and held longer.
  private mutating func hold(
    _ job: SignInJob
  ) throws(OperationError) -> (held: HeldRegistration, isNew: Bool) {
    changed.insert(job.key)
    let former = job.resuming
    // Another daemon's clock may be ahead of ours.
    let saidAt = max(at, former?.saidAt ?? at)
    var held = HeldRegistration(
      registration: former?.registration ?? job.newRegistration, version: former?.version ?? 0, claims: job.claims,
      link: job.request.policy.link, attempts: former?.attempts ?? 0, lastReason: former?.lastReason,
      heldAt: former?.heldAt ?? at, saidAt: saidAt,
      emailSaidAt: job.request.claims.email == nil ? former?.emailSaidAt : saidAt,
      expiresAt: saidAt.advanced(bySeconds: job.request.holdSeconds))
    if let former, former.claims == held.claims, former.link == held.link {
      registrationsRenewed.append(held)
      return (held, false)
    }
    held.version += 1
    let sealed = try OperationError.translating(
      sealing: "registration \(held.registration)"
    ) { () throws(SealingError) in
      try sealer.seal(held.claims, of: held.registration, version: held.version)
    }
    let record = WriteRegistrations.Record(held, key: job.key, sealed: sealed, caller: job.request.caller)
    if job.resuming == nil {
      registrationsHeld.append(record)
      tell(.registrationHeld(held.registration, namespace: job.claims.identity.namespace), for: job)
    } else {
      registrationsResealed.append(record)
    }
    return (held, true)
  }

  private mutating func complete(_ held: HeldRegistration, by user: UserID, for job: SignInJob) {
    changed.insert(job.key)
    registrationsCompleted.append(
      CompleteRegistrations.Record(registration: held.registration, user: user, at: at))
    tell(.registrationCompleted(user, registration: held.registration), for: job)
  }

  /// Remembers by what an uncertain commit of held details is recognised.
  private func remember(_ held: HeldRegistration, _ result: SignInResult, for job: SignInJob) {
    job.attempt = SignInJob.Attempt(
      mark: .registration(held.registration, version: held.version), ending: .answered(.new(result)))
  }

  private mutating func add(
    _ email: RegisteredEmail, of user: UserID, voucher identity: IdentityID, for job: SignInJob
  ) {
    switch email {
    case .verified(let reported):
      drop(claimsTo: reported.address, by: user, for: job)
      add(reported.address, of: user, voucher: identity)
    case .supported(let reported): add(reported.address, of: user, voucher: identity)
    case .claimed(let reported): add(reported.address, of: user, voucher: nil)
    case .none: break
    }
  }

  private mutating func add(_ address: EmailAddress, of user: UserID, voucher: IdentityID?) {
    addresses.append(RecordAddresses.Record(user: user, address: address, addedAt: at, voucher: voucher))
  }

  private mutating func drop(claimsTo address: EmailAddress, by user: UserID, for job: SignInJob) {
    claimsDropped.append(
      DropClaims.Record(address: address.canonical, user: user, at: at, caller: job.request.caller))
  }

  private mutating func tell(_ decision: SignInDecision, user: UserID, identity: IdentityID, for job: SignInJob) {
    changed.insert(job.key)
    let namespace = job.claims.identity.namespace
    for event in decision.events(user: user, identity: identity, namespace: namespace) { tell(event, for: job) }
  }

  private mutating func tell(_ event: Event, for job: SignInJob) {
    events.append(
      InsertEvents.Record(id: circumstances.newID(at: at), event: event, at: at, caller: job.request.caller))
  }
}

extension Claims {
  /// A new or changed identity as the answer tells it: its address is what was reported now.
  fileprivate func record(
    _ id: IdentityID, of user: UserID, linkedAt: Timestamp, by linkedBy: LinkedBy
  ) -> IdentityRecord {
    IdentityRecord(
      identity: id, namespace: identity.namespace, subject: identity.subject.text, user: user,
      email: email.map { ExactText($0.address.asGiven) }, emailVerified: email?.isVerified, linkedAt: linkedAt,
      linkedBy: linkedBy, lastSignInAt: nil)
  }
}
