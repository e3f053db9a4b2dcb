/// What a world is, kept by one who does one call after the other: who our users are, by the contract and without a database.
///
/// ``perform(_:answered:)`` says what the answer to a call is. Ids that are new it takes from the answer that was given.
struct Model: Hashable, Sendable {
  enum Status: String, Sendable {
    case active, disabled, merged, erased
  }

  struct User: Hashable, Sendable {
    var status = Status.active
    /// Counts what makes older challenges and tokens worthless.
    var epoch = 0
    /// Counts what makes plans stale.
    var changes = 0
    /// Into whom they were merged.
    var survivor: Name?
    /// The merge by which they are disabled.
    var disabledBy: Name?
  }

  struct Identity: Hashable, Sendable {
    let id: Name
    var user: Name
    var linkedBy: String
    var report: Report?
  }

  struct Place: Hashable, Sendable {
    let user: Name
    let address: Address
  }

  /// An address of a user.
  struct Email: Hashable, Sendable {
    var vouchers: Set<Name> = []
    var isProvedByToken = false
    /// The token that was given out last.
    var token: Token?
    /// The merges that it came with or went through.
    var merges: Set<Name> = []
    /// The merges of which an identity that they brought has come to report it since.
    var reports: Set<Name> = []
    /// How many merges there had been when the user got it.
    let born: Int

    init(born: Int) { self.born = born }

    var isVerified: Bool { isProvedByToken || !vouchers.isEmpty }
  }

  struct Token: Hashable, Sendable {
    let name: Name
    let epoch: Int
    var isUsed = false
  }

  struct Held: Hashable, Sendable {
    /// Nil until it is told.
    var id: Name?
    var report: Report?
    var link: Call.LinkChoice
    var attempts = 0
  }

  struct Challenge: Hashable, Sendable {
    let subject: Subject
    let candidate: Name
    let epoch: Int
    var wrongProofs = 0
    var isUsed = false
  }

  /// An identity that was taken off a user.
  struct Unlinking: Hashable, Sendable {
    let subject: Subject
    let user: Name
  }

  /// That something was taken off, and the merge that brought this along, if one did.
  struct Mark: Hashable, Sendable {
    var merge: Name?
  }

  var users: [Name: User] = [:]
  var identities: [Subject: Identity] = [:]
  var emails: [Place: Email] = [:]
  var held: [Subject: Held] = [:]
  var completed: [Name: Name] = [:]
  var challenges: [Name: Challenge] = [:]
  var unlinkings: [Unlinking: Mark] = [:]
  /// Addresses that were removed.
  var removals: [Place: Mark] = [:]
  var plans: [Name: Plan] = [:]
  var merges: [Name: Merge] = [:]
  /// Ids that were told. None is ever given twice.
  private var told: Set<Name> = []

  init() {}

  /// Does a call.
  ///
  /// - Parameter answer: what was answered; only ids that are new are taken from it, and what the contract leaves open.
  /// - Returns: what is to be answered. If it is not what was, the state has no meaning any more.
  mutating func perform(_ call: Call, answered answer: Answer) -> Answer {
    switch call {
    case .resolve(let subject, let report, let register, let link):
      resolve(subject, report, register, link, answer)
    case .complete(let registration): complete(registration, answer)
    case .discard(let registration): discard(registration)
    case .fail(let registration): fail(registration)
    case .findRegistration(let registration): find(registration)
    case .confirm(let challenge, let proof): confirm(challenge, proof, answer)
    case .link(let user, let subject, let report): link(user, subject, report, answer)
    case .unlink(let user, let identity): unlink(user, identity)
    case .addEmail(let user, let address): add(user, address, answer)
    case .verifyEmail(let user, let address, let token): verify(user, address, token)
    case .removeEmail(let user, let address): remove(user, address)
    case .disable(let user): set(user, .disabled)
    case .enable(let user): set(user, .active)
    case .erase(let user): erase(user)
    case .plan(let one, let other, let survivor): plan(one, other, survivor, answer)
    case .run(let plan): run(plan, answer)
    case .undo(let merge): undo(merge)
    case .findUser(let user): findUser(user)
    case .findHolder(let address): holder(of: address).map { shown($0) } ?? Answer("not_found")
    case .findIdentity(let subject): findIdentity(subject)
    }
  }

  /// An id that the answer tells, if it was told to nobody before.
  mutating func new(_ name: Name?) -> Name? {
    guard let name, told.insert(name).inserted else { return nil }
    return name
  }

  // MARK: Looking

  /// The user whom an id leads to.
  func survivor(of name: Name) -> Name {
    var name = name
    while let next = users[name]?.survivor { name = next }
    return name
  }

  /// The user who holds an address as verified.
  func holder(of address: Address) -> Name? {
    emails.first { $0.key.address == address && $0.value.isVerified }?.key.user
  }

  func status(of user: Name) -> Status { users[user]?.status ?? .erased }

  func emails(of user: Name) -> [Address: Email] {
    emails.reduce(into: [:]) { found, email in
      if email.key.user == user { found[email.key.address] = email.value }
    }
  }

  func identities(of user: Name) -> [Subject: Identity] { identities.filter { $0.value.user == user } }

  /// Whether somebody with these could sign in: a password needs an address to which a new one can be sent.
  func isUsable(_ identities: some Sequence<Subject>, withVerifiedAddress: Bool) -> Bool {
    identities.contains { !$0.isPassword || withVerifiedAddress }
  }

  // MARK: Telling

  func told(_ subject: Subject) -> Answer.Identity? {
    identities[subject].map {
      Answer.Identity(id: $0.id, subject: subject, user: $0.user, linkedBy: $0.linkedBy, report: $0.report)
    }
  }

  func told(_ email: Email) -> Answer.Email {
    Answer.Email(isVerified: email.isVerified, vouchers: email.vouchers, isProvedByToken: email.isProvedByToken)
  }

  /// A user with everything that is theirs.
  func shown(_ user: Name, askedAs asked: Name? = nil) -> Answer {
    var answer = Answer.done
    answer.user = user
    answer.status = status(of: user).rawValue
    answer.requested = asked == user ? nil : asked
    answer.emails = emails(of: user).mapValues(told)
    answer.identities = identities(of: user).keys.reduce(into: [:]) { $0[$1] = told($1) }
    return answer
  }

  private func findUser(_ name: Name) -> Answer {
    let user = survivor(of: name)
    return status(of: user) == .erased ? Answer("user_erased") : shown(user, askedAs: name)
  }

  private func findIdentity(_ subject: Subject) -> Answer {
    var answer = Answer(identities[subject] == nil ? "not_found" : "ok")
    answer.identity = told(subject)
    return answer
  }

  // MARK: Changing

  /// An address that somebody gets now.
  var newEmail: Email { Email(born: merges.count) }

  /// Makes challenges and tokens of the user worthless that were made before.
  mutating func beginEpoch(of user: Name) {
    users[user]?.epoch += 1
    touch(user)
  }

  /// Makes plans stale.
  mutating func touch(_ user: Name) { users[user]?.changes += 1 }

  private mutating func set(_ name: Name, _ status: Status) -> Answer {
    let user = survivor(of: name)
    guard self.status(of: user) != .erased else { return Answer("user_erased") }
    if self.status(of: user) != status {
      users[user]?.status = status
      if status == .disabled { beginEpoch(of: user) }
    }
    touch(user)
    users[user]?.disabledBy = nil
    var answer = Answer.done
    answer.user = user
    answer.status = status.rawValue
    return answer
  }

  private mutating func erase(_ name: Name) -> Answer {
    let user = survivor(of: name)
    for former in users.keys where survivor(of: former) == user {
      users[former]?.status = .erased
      beginEpoch(of: former)
      completed = completed.filter { $0.value != former }
      unlinkings = unlinkings.filter { $0.key.user != former }
      removals = removals.filter { $0.key.user != former }
      emails = emails.filter { $0.key.user != former }
      challenges = challenges.filter { $0.value.candidate != former && identities[$0.value.subject]?.user != former }
    }
    for subject in identities(of: user).keys { identities[subject] = nil }
    var answer = Answer.done
    answer.user = user
    answer.status = Status.erased.rawValue
    return answer
  }
}
