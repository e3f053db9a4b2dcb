import Accounts
import Postgres
import Store

/// What a batch of decisions writes, gathered so that each kind is one statement.
struct SignInRecords {
  let at: Timestamp
  /// The sign-ins that changed something.
  private(set) var changed: Set<StoredKey> = []

  private let circumstances: Circumstances
  private var claimsDropped: [DropClaims.Record] = []
  private var users: [InsertUsers.Record] = []
  private var identities: [InsertIdentities.Record] = []
  private var identityEmails: [RecordIdentityEmails.Record] = []
  private var vouchingStopped: [StopVouching.Record] = []
  private var addresses: [RecordAddresses.Record] = []
  private var profiles: [UpdateProfiles.Record] = []
  private var challenges: [InsertChallenges.Record] = []
  private var events: [InsertEvents.Record] = []

  init(circumstances: Circumstances) {
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
    if !challenges.isEmpty { pipeline.add(InsertChallenges.statement, challenges) }
    if !events.isEmpty { pipeline.add(InsertEvents.statement, events) }
    return pipeline
  }

  /// Adds what a decision writes and gives the result to answer.
  ///
  /// - Parameter found: the identity as stored, for a decision about a known one.
  mutating func add(_ decision: SignInDecision, for job: SignInJob, found: FoundIdentity?) -> SignInResult {
    switch decision {
    case .signIn(let user, let identity, let change):
      guard let found else { preconditionFailure("a known identity was decided about but not found") }
      guard let change else {
        return .user(.signedIn, user, identity: found.record(of: job.request.claims.identity), details: nil)
      }
      add(change, of: identity, user: user, for: job, decision)
      let record = job.request.claims.record(identity, of: user, linkedAt: found.linkedAt, by: found.linkedBy)
      return .user(.signedIn, user, identity: record, details: nil)
    case .link(let user, let by, let filled):
      if let filled { profiles.append(UpdateProfiles.Record(user: user, profile: filled, at: at)) }
      return add(identityOf: user, by: by, vouchesFor: job.request.claims.email, for: job, .linked, decision)
    case .register(let profile, let email):
      let user = circumstances.newID(UserID.self, at: at)
      users.append(InsertUsers.Record(user: user, profile: profile))
      if case .verified(let reported) = email { drop(claimsTo: reported.address, by: user, for: job) }
      if case .claimed(let reported) = email { add(reported.address, of: user, voucher: nil) }
      return add(identityOf: user, by: .registration, vouchesFor: email.verified, for: job, .registered, decision)
    case .challenge(let candidates):
      return .linkRequired(add(challengeTo: candidates, for: job))
    case .notFound:
      return .notFound
    }
  }

  private mutating func add(
    identityOf user: UserID, by linkedBy: LinkedBy, vouchesFor email: ReportedEmail?, for job: SignInJob,
    _ outcome: SignInResult.Outcome, _ decision: SignInDecision
  ) -> SignInResult {
    let identity = circumstances.newID(IdentityID.self, at: at)
    identities.append(
      InsertIdentities.Record(
        identity: identity, key: job.key, user: user, email: job.request.claims.email, linkedAt: at,
        linkedBy: linkedBy, caller: job.request.caller))
    if let email { add(email.address, of: user, voucher: identity) }
    tell(decision, user: user, identity: identity, for: job)
    let result = SignInResult.user(
      outcome, user, identity: job.request.claims.record(identity, of: user, linkedAt: at, by: linkedBy), details: nil)
    job.attempt = SignInJob.Attempt(identity: identity, result: result)
    return result
  }

  private mutating func add(
    _ change: EmailChange, of identity: IdentityID, user: UserID, for job: SignInJob, _ decision: SignInDecision
  ) {
    identityEmails.append(RecordIdentityEmails.Record(identity: identity, email: change.email))
    if let address = change.stopsVouchingFor {
      vouchingStopped.append(
        StopVouching.Record(identity: identity, user: user, address: address, at: at, caller: job.request.caller))
    }
    if change.dropsClaimsOfOthers { drop(claimsTo: change.email.address, by: user, for: job) }
    add(change.email.address, of: user, voucher: change.standing == .vouched ? identity : nil)
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
          claims: job.request.claims, madeAt: at, expiresAt: challenge.expiresAt))
    }
    changed.insert(job.key)
    return challenge
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
    let namespace = job.request.claims.identity.namespace
    for event in decision.events(user: user, identity: identity, namespace: namespace) {
      events.append(
        InsertEvents.Record(id: circumstances.newID(at: at), event: event, at: at, caller: job.request.caller))
    }
  }
}

extension RegisteredEmail {
  fileprivate var verified: ReportedEmail? {
    if case .verified(let email) = self { email } else { nil }
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
