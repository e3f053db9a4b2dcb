/// What the answers of a world have told so far, for operations that go on from it.
struct Board: Sendable {
  private struct EmailPlace: Hashable {
    let user: Name
    let address: Address
  }

  private var users: [Subject: [Name]] = [:]
  private var identities: [Subject: Name] = [:]
  private var registrations: [Subject: Name] = [:]
  private var challenges: [Subject: Name] = [:]
  private var candidates: [Subject: Name] = [:]
  /// Challenges that linked somebody.
  private var answered: [Name] = []
  /// Who is somebody's, as far as was told.
  private var attached: Set<Subject> = []
  private var tokens: [EmailPlace: Name] = [:]
  private var plans: [Name] = []
  private var merges: [Name] = []
  /// Whom registrations and challenges are about.
  private var subjects: [Name: Subject] = [:]

  init() {}

  /// The call that an operation is now; nil where nobody has told what it needs.
  func call(for operation: Operation) -> Call? {
    let subject = operation.subject
    let user = operation.isFormer ? users[subject]?.first : users[subject]?.last
    switch operation.kind {
    case .resolve: return .resolve(subject, operation.report, operation.register, operation.link)
    case .findHolder: return .findHolder(operation.address)
    case .findIdentity: return .findIdentity(subject)
    case .complete: return registrations[subject].map { .complete($0) }
    case .discard: return registrations[subject].map { .discard($0) }
    case .fail: return registrations[subject].map { .fail($0) }
    case .findRegistration: return registrations[subject].map { .findRegistration($0) }
    case .confirmByClaims:
      let friend = attached.filter { $0 != subject && users[$0]?.last == candidates[subject] }.min()
      let proof = operation.isFormer ? operation.other : friend ?? operation.other
      return challenges[subject].map { .confirm($0, .claims(proof)) }
    case .confirmByWord:
      let again = operation.isFormer ? answered.last : nil
      guard let challenge = again ?? challenges[subject], let candidate = candidates[subjects[challenge] ?? subject]
      else {
        return nil
      }
      return .confirm(challenge, .word(operation.isFormer ? users[operation.other]?.last ?? candidate : candidate))
    case .link:
      let free = Subject.allCases.filter { !attached.contains($0) }
      let other = operation.isFormer ? operation.other : free[at: operation.other.rawValue] ?? operation.other
      return user.map { .link(to: $0, other, operation.report) }
    case .unlink:
      // Mostly of somebody who has another one left.
      let some = attached.sorted().filter { one in
        attached.contains { $0 != one && users[$0]?.last == users[one]?.last }
      }
      let one = operation.isFormer ? operation.other : some[at: operation.other.rawValue] ?? operation.other
      guard let user = operation.isFormer ? user : users[one]?.last, let identity = identities[one] else { return nil }
      return .unlink(from: user, identity: identity)
    case .addEmail: return user.map { .addEmail($0, operation.address) }
    case .verifyEmail:
      // Of any address, for few were given a token.
      let place =
        tokens.keys.filter { $0.user == user }.min { $0.address < $1.address }
        ?? tokens.keys.min {
          ($0.user, $0.address.rawValue) < ($1.user, $1.address.rawValue)
        }
      return place.flatMap { place in
        tokens[place].map { .verifyEmail(place.user, place.address, token: $0) }
      }
    case .removeEmail: return user.map { .removeEmail($0, operation.address) }
    case .disable: return user.map { .disable($0) }
    case .enable: return user.map { .enable($0) }
    case .erase: return user.map { .erase($0) }
    case .findUser: return user.map { .findUser($0) }
    case .plan:
      let others = Subject.allCases.compactMap { users[$0]?.last }.filter { $0 != user }
      let former = operation.isFormer ? users[operation.other]?.last : nil
      guard let user, let other = former ?? others[at: operation.other.rawValue] else { return nil }
      return .plan(user, other, survivor: operation.register == .auto ? nil : other)
    case .run: return (operation.isFormer ? plans.first : plans.last).map { .run(plan: $0) }
    case .undo: return (operation.isFormer ? merges.first : merges.last).map { .undo(merge: $0) }
    }
  }

  mutating func note(_ call: Call, _ answer: Answer) {
    if let identity = answer.identity {
      identities[identity.subject] = identity.id
      attached.insert(identity.subject)
      if users[identity.subject]?.last != identity.user { users[identity.subject, default: []].append(identity.user) }
    }
    if let subject = subject(of: call) {
      if let challenge = answer.challenge {
        challenges[subject] = challenge
        candidates[subject] = answer.candidates.first?.user
        subjects[challenge] = subject
      }
      if let registration = answer.registration {
        registrations[subject] = registration
        subjects[registration] = subject
      }
    }
    if case .confirm(let challenge, _) = call, answer.word == "linked" { answered.append(challenge) }
    if case .unlink(_, let identity) = call, answer == .done {
      attached = attached.filter { identities[$0] != identity }
    }
    if case .addEmail(let user, let address) = call, let token = answer.token {
      tokens[EmailPlace(user: user, address: address)] = token
    }
    if let plan = answer.plan { plans.append(plan) }
    if let merge = answer.merge?.id, !merges.contains(merge) { merges.append(merge) }
  }

  private func subject(of call: Call) -> Subject? {
    switch call {
    case .resolve(let subject, _, _, _), .link(_, let subject, _): subject
    case .complete(let name), .confirm(let name, _): subjects[name]
    default: nil
    }
  }
}

extension Array {
  /// The element in a place, counted around; nil if there is none.
  fileprivate subscript(at place: Int) -> Element? { isEmpty ? nil : self[place % count] }
}
