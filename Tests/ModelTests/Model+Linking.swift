extension Model {
  /// Wrong proofs that use a challenge up.
  private static let wrongProofsMax = 5

  mutating func confirm(_ name: Name, _ proof: Call.Proof, _ actual: Answer) -> Answer {
    guard let challenge = challenges[name] else { return Answer("not_found") }
    guard !challenge.isUsed, challenge.wrongProofs < Self.wrongProofsMax else { return Answer("challenge_used") }
    let candidate = challenge.candidate
    guard status(of: candidate) != .disabled else { return Answer("user_disabled") }
    guard status(of: candidate) == .active, users[candidate]?.epoch == challenge.epoch else {
      return Answer("challenge_mismatch")
    }
    let subject = challenge.subject
    if let known = identities[subject], known.user != candidate { return linkedElsewhere(known) }
    guard isRight(proof, for: candidate, of: subject) else {
      challenges[name]?.wrongProofs += 1
      return Answer("proof_rejected")
    }
    challenges[name]?.isUsed = true
    guard identities[subject] == nil else { return signedIn("signed_in", subject, matchedBy: "identity") }
    return attach(subject, held[subject]?.report, to: candidate, by: "confirm", actual)
  }

  private func isRight(_ proof: Call.Proof, for candidate: Name, of challenged: Subject) -> Bool {
    switch proof {
    case .claims(let subject): subject != challenged && identities[subject]?.user == candidate
    case .word(let user): survivor(of: user) == candidate
    }
  }

  private func linkedElsewhere(_ known: Identity) -> Answer {
    var answer = Answer("identity_linked_elsewhere")
    answer.owner = known.user
    return answer
  }

  mutating func link(_ name: Name, _ subject: Subject, _ report: Report?, _ actual: Answer) -> Answer {
    let user = survivor(of: name)
    switch status(of: user) {
    case .erased: return Answer("user_erased")
    case .disabled: return Answer("user_disabled")
    case .active, .merged: break
    }
    if let known = identities[subject], known.user != user { return linkedElsewhere(known) }
    if identities[subject] == nil {
      let attached = attach(subject, report ?? held[subject]?.report, to: user, by: "link", actual)
      guard attached.identity != nil else { return attached }
    }
    var answer = Answer.done
    answer.identity = told(subject)
    answer.user = user
    return answer
  }

  mutating func unlink(_ name: Name, _ identity: Name) -> Answer {
    let user = survivor(of: name)
    guard status(of: user) != .erased else { return Answer("user_erased") }
    let all = identities(of: user)
    guard let subject = all.first(where: { $0.value.id == identity })?.key else { return Answer("not_found") }
    let isAnyVerified = emails(of: user).values.contains {
      $0.isProvedByToken || !$0.vouchers.subtracting([identity]).isEmpty
    }
    guard isUsable(all.keys.filter { $0 != subject }, withVerifiedAddress: isAnyVerified) else {
      return Answer("last_sign_in_method")
    }
    identities[subject] = nil
    markUnlinked(subject, identity, from: user)
    for address in Address.allCases { stopVouching(identity, for: address, of: user) }
    beginEpoch(of: user)
    return .done
  }

  /// What merges brought that stand is unlinked as if it had been before them.
  private mutating func markUnlinked(_ subject: Subject, _ identity: Name, from user: Name) {
    let brought = merges.filter { !$0.value.isUndone && $0.value.identities[identity] != nil }
      .sorted { $0.value.place < $1.value.place }
    unlinkings[Unlinking(subject: subject, user: brought.first?.value.absorbed ?? user)] = Mark()
    for (merge, value) in brought {
      let unlinking = Unlinking(subject: subject, user: value.survivor)
      if unlinkings[unlinking] == nil { unlinkings[unlinking] = Mark(merge: merge) }
    }
  }

  // MARK: Addresses

  mutating func add(_ name: Name, _ address: Address, _ actual: Answer) -> Answer {
    let user = survivor(of: name)
    switch status(of: user) {
    case .erased: return Answer("user_erased")
    case .disabled: return Answer("user_disabled")
    case .active, .merged: break
    }
    if let holder = holder(of: address), holder != user { return Answer("email_taken") }
    guard let token = new(actual.token) else { return Answer("a new token") }
    let place = Place(user: user, address: address)
    touch(user)
    removals[place] = nil
    var email = emails[place] ?? newEmail
    email.token = Token(name: token, epoch: users[user]?.epoch ?? 0)
    emails[place] = email
    var answer = Answer.done
    answer.token = token
    answer.email = told(email)
    return answer
  }

  mutating func verify(_ name: Name, _ address: Address, _ token: Name) -> Answer {
    let user = survivor(of: name)
    guard status(of: user) != .erased else { return Answer("user_erased") }
    let place = Place(user: user, address: address)
    guard let found = emails[place]?.token else { return Answer("proof_rejected") }
    guard status(of: user) == .active else { return Answer("user_disabled") }
    guard found.name == token, found.epoch == users[user]?.epoch else { return Answer("proof_rejected") }
    guard !found.isUsed else { return Answer("challenge_used") }
    let holder = holder(of: address)
    guard holder == nil || holder == user else { return Answer("email_taken") }
    if holder == nil { dropClaims(to: address, except: user) }
    touch(user)
    emails[place]?.isProvedByToken = true
    emails[place]?.token?.isUsed = true
    var answer = Answer.done
    answer.email = emails[place].map(told)
    return answer
  }

  mutating func remove(_ name: Name, _ address: Address) -> Answer {
    let user = survivor(of: name)
    guard status(of: user) != .erased else { return Answer("user_erased") }
    let place = Place(user: user, address: address)
    guard let email = emails[place] else { return Answer("not_found") }
    let subjects = identities(of: user).keys
    let isAnyLeft = emails(of: user).contains { $0.key != address && $0.value.isVerified }
    if email.isVerified, subjects.contains(where: \.isPassword) {
      guard isUsable(subjects, withVerifiedAddress: isAnyLeft) else { return Answer("last_sign_in_method") }
    }
    emails[place] = nil
    removals[place] = Mark()
    touch(user)
    if email.isVerified { beginEpoch(of: user) }
    return .done
  }
}
