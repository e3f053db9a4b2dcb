extension Model {
  mutating func resolve(
    _ subject: Subject, _ report: Report?, _ register: Call.RegisterChoice, _ link: Call.LinkChoice, _ actual: Answer
  ) -> Answer {
    if let known = identities[subject] { return signIn(known, subject, report) }
    return decide(subject, report ?? held[subject]?.report, register, link, actual)
  }

  /// Row 1: whose the identity is decides, whatever the address says now.
  private mutating func signIn(_ known: Identity, _ subject: Subject, _ report: Report?) -> Answer {
    guard status(of: known.user) == .active else { return Answer("user_disabled") }
    if let report, report != known.report { record(report, of: known, subject) }
    return signedIn("signed_in", subject, matchedBy: "identity")
  }

  /// The provider gives an identity another address, or another word on it.
  private mutating func record(_ report: Report, of known: Identity, _ subject: Subject) {
    touch(known.user)
    identities[subject]?.report = report
    let merges = noteReport(of: report.address, by: known)
    if let former = known.report, former.address != report.address || !report.isVerified {
      stopVouching(known.id, for: former.address, of: known.user)
    }
    attach(report, of: known.user, subject, voucher: known.id)
    emails[Place(user: known.user, address: report.address)]?.reports.formUnion(merges)
  }

  /// Rows 2 to 5, for an identity that is nobody's.
  private mutating func decide(
    _ subject: Subject, _ report: Report?, _ register: Call.RegisterChoice, _ link: Call.LinkChoice, _ actual: Answer
  ) -> Answer {
    if let report, link != .never, let holder = holder(of: report.address) {
      guard status(of: holder) == .active else { return Answer("user_disabled") }
      let wasUnlinked = unlinkings[Unlinking(subject: subject, user: holder)] != nil
      guard link == .verifiedEmail, report.isProof(from: subject), !wasUnlinked else {
        return challenge(holder, subject, report, link, actual)
      }
      return attach(subject, report, to: holder, by: "email", actual)
    }
    if link != .never, let answer = askedAgain(subject, report, link, actual) { return answer }
    switch register {
    case .never: return Answer("not_found")
    case .hold: return hold(subject, report, link, actual)
    case .auto:
      guard let user = new(actual.user) else { return Answer("a new user") }
      users[user] = User()
      return attach(subject, report, to: user, by: "register", actual)
    }
  }

  /// Unlinked stays unlinked, whatever the address says: somebody off whom the identity was taken is asked about. Who, where
  /// there are several, is left open.
  private mutating func askedAgain(
    _ subject: Subject, _ report: Report?, _ link: Call.LinkChoice, _ actual: Answer
  ) -> Answer? {
    let former = unlinkings.keys.filter { $0.subject == subject }.map(\.user)
    let active = former.filter { users[$0]?.status == .active }.sorted()
    guard let first = active.first else {
      return former.contains { users[$0]?.status == .disabled } ? Answer("user_disabled") : nil
    }
    let told = actual.candidates.first?.user
    return challenge(active.first { $0 == told } ?? first, subject, report, link, actual)
  }

  /// Makes an identity that is nobody's a user's; what is held of it is completed.
  mutating func attach(
    _ subject: Subject, _ report: Report?, to user: Name, by linkedBy: String, _ actual: Answer
  ) -> Answer {
    guard let identity = new(actual.identity?.id) else { return Answer("a new identity") }
    touch(user)
    identities[subject] = Identity(id: identity, user: user, linkedBy: linkedBy, report: report)
    if linkedBy != "email" { unlinkings[Unlinking(subject: subject, user: user)] = nil }
    if let report { attach(report, of: user, subject, voucher: identity) }
    let resumed = held.removeValue(forKey: subject)
    if let id = resumed?.id { completed[id] = user }
    let isRegistration = linkedBy == "register"
    var answer = signedIn(
      isRegistration ? "registered" : "linked", subject, matchedBy: isRegistration ? nil : "email")
    answer.isResumed = resumed != nil
    return answer
  }

  /// How a user stands to the address that an identity of theirs came with: it is their verified one if it is proved and
  /// nobody else's, and else a mere claim. One that they removed does not come back by itself.
  private mutating func attach(_ report: Report, of user: Name, _ subject: Subject, voucher: Name) {
    let place = Place(user: user, address: report.address)
    guard removals[place] == nil else { return }
    let holder = holder(of: report.address)
    guard report.isProof(from: subject), holder == nil || holder == user else {
      emails[place] = emails[place] ?? newEmail
      return
    }
    if holder == nil { dropClaims(to: report.address, except: user) }
    var email = emails[place] ?? newEmail
    email.vouchers.insert(voucher)
    emails[place] = email
  }

  /// Whoever only claimed an address that somebody proves has it no longer.
  mutating func dropClaims(to address: Address, except user: Name) {
    for place in emails.keys where place.address == address && place.user != user {
      emails[place] = nil
      beginEpoch(of: place.user)
    }
  }

  /// With the last that vouches for it, an address becomes a mere claim.
  mutating func stopVouching(_ identity: Name, for address: Address, of user: Name) {
    let place = Place(user: user, address: address)
    guard emails[place]?.vouchers.remove(identity) != nil, emails[place]?.isVerified == false else { return }
    beginEpoch(of: user)
  }

  private mutating func challenge(
    _ holder: Name, _ subject: Subject, _ report: Report?, _ link: Call.LinkChoice, _ actual: Answer
  ) -> Answer {
    guard let challenge = new(actual.challenge) else { return Answer("a new challenge") }
    let isResumed = held[subject] != nil
    keep(subject, report, link)
    challenges[challenge] = Challenge(subject: subject, candidate: holder, epoch: users[holder]?.epoch ?? 0)
    var answer = Answer("link_required")
    answer.challenge = challenge
    answer.candidates = [
      Answer.Candidate(user: holder, providers: Set(identities(of: holder).keys.map(\.provider)).sorted())
    ]
    answer.isResumed = isResumed
    return answer
  }

  private mutating func hold(
    _ subject: Subject, _ report: Report?, _ link: Call.LinkChoice, _ actual: Answer
  ) -> Answer {
    let isResumed = held[subject] != nil
    keep(subject, report, link)
    if held[subject]?.id == nil {
      let id = new(actual.registration)
      held[subject]?.id = id
    }
    var answer = shown(held[subject], "registration_held")
    answer.isResumed = isResumed
    return answer
  }

  private mutating func keep(_ subject: Subject, _ report: Report?, _ link: Call.LinkChoice) {
    held[subject, default: Held(link: link)].report = report
    held[subject]?.link = link
  }

  private func shown(_ held: Held?, _ word: String) -> Answer {
    var answer = Answer(word)
    answer.registration = held?.id
    answer.held = held?.report
    answer.attempts = held?.attempts
    return answer
  }

  func signedIn(_ word: String, _ subject: Subject, matchedBy: String?) -> Answer {
    var answer = Answer(word)
    answer.matchedBy = matchedBy
    answer.identity = told(subject)
    answer.user = answer.identity?.user
    answer.status = Status.active.rawValue
    return answer
  }

  // MARK: Registrations

  mutating func complete(_ registration: Name, _ actual: Answer) -> Answer {
    if let user = completed[registration] { return repeated(survivor(of: user), actual) }
    guard let (subject, held) = held(registration) else { return Answer("not_found") }
    return decide(subject, held.report, .auto, held.link, actual)
  }

  /// The same user for ever. How the identity stands to them by now is told in any of the words for it.
  private func repeated(_ user: Name, _ actual: Answer) -> Answer {
    switch status(of: user) {
    case .erased: return Answer("user_erased")
    case .disabled: return Answer("user_disabled")
    case .active, .merged: break
    }
    var answer = actual
    if !["registered", "linked", "signed_in"].contains(actual.word) { answer.word = "registered" }
    answer.user = user
    answer.status = Status.active.rawValue
    return answer
  }

  mutating func discard(_ registration: Name) -> Answer {
    guard let (subject, _) = held(registration) else { return Answer("not_found") }
    held[subject] = nil
    return .done
  }

  mutating func fail(_ registration: Name) -> Answer {
    guard let (subject, held) = held(registration) else { return Answer("not_found") }
    self.held[subject]?.attempts += 1
    var answer = Answer.done
    answer.attempts = held.attempts + 1
    return answer
  }

  func find(_ registration: Name) -> Answer {
    guard let (_, held) = held(registration) else { return Answer("not_found") }
    return shown(held, "ok")
  }

  private func held(_ registration: Name) -> (Subject, Held)? {
    held.first { $0.value.id == registration }.map { ($0.key, $0.value) }
  }
}
