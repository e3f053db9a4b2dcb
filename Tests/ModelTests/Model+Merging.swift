extension Model {
  /// How a user stands, as far as a plan depends on it.
  struct Standing: Hashable, Sendable {
    let status: Status
    let identities: [Subject: Identity]
    let vouchers: [Address: Set<Name>]
    let isProvedByToken: [Address: Bool]
  }

  struct Plan: Hashable, Sendable {
    let survivor: Name
    let absorbed: Name
    let standings: [Standing]
    let changes: [Int]
    /// The merge that carried it out.
    var merge: Name?
  }

  struct Merge: Hashable, Sendable {
    /// The place among all merges.
    let place: Int
    let survivor: Name
    let absorbed: Name
    let absorbedStatus: Status
    /// The identities that moved, by their ids, as they were.
    let identities: [Name: Identity]
    /// The addresses of the absorbed user as they were.
    let emails: [Address: Email]
    /// The survivor's own of these.
    let own: [Address: Email]
    /// What the survivor's identities reported.
    let reported: Set<Address>
    /// What the survivor had removed.
    let removed: [Address: Mark]
    /// Who had been merged into the absorbed user before.
    let former: Set<Name>
    /// What identities that moved have come to report since, and whether the survivor had it already.
    var reports: [Address: Bool] = [:]
    var isUndone = false
  }

  private func standing(of user: Name) -> Standing {
    Standing(
      status: status(of: user), identities: identities(of: user), vouchers: emails(of: user).mapValues(\.vouchers),
      isProvedByToken: emails(of: user).mapValues(\.isProvedByToken))
  }

  mutating func plan(_ one: Name, _ other: Name, _ chosen: Name?, _ actual: Answer) -> Answer {
    let users = [survivor(of: one), survivor(of: other)]
    guard users.allSatisfy({ status(of: $0) != .erased }) else { return Answer("user_erased") }
    guard users[0] != users[1] else { return Answer("invalid_params") }
    guard let plan = new(actual.plan) else { return Answer("a new plan") }
    // Which of the two is older is not told by their names, which are given as answers come in.
    guard let survivor = chosen.map({ self.survivor(of: $0) }) ?? actual.survivor, users.contains(survivor) else {
      return Answer("a plan for the two")
    }
    let absorbed = survivor == users[0] ? users[1] : users[0]
    plans[plan] = Plan(
      survivor: survivor, absorbed: absorbed, standings: [standing(of: survivor), standing(of: absorbed)],
      changes: changes(of: survivor, absorbed))
    var answer = Answer.done
    answer.plan = plan
    answer.survivor = survivor
    answer.absorbed = absorbed
    return answer
  }

  private func changes(of survivor: Name, _ absorbed: Name) -> [Int] {
    [users[survivor]?.changes ?? 0, users[absorbed]?.changes ?? 0]
  }

  mutating func run(_ name: Name, _ actual: Answer) -> Answer {
    guard let plan = plans[name] else { return Answer("invalid_params") }
    if let merge = plan.merge { return told(merge) }
    let (survivor, absorbed) = (plan.survivor, plan.absorbed)
    guard [standing(of: survivor), standing(of: absorbed)] == plan.standings else { return Answer("plan_stale") }
    // What was changed and changed back may be told or not.
    if changes(of: survivor, absorbed) != plan.changes, actual.word == "plan_stale" { return actual }
    guard let merge = new(actual.merge?.id) else { return Answer("a new merge") }
    plans[name]?.merge = merge
    merges[merge] = Merge(
      place: merges.count, survivor: survivor, absorbed: absorbed, absorbedStatus: status(of: absorbed),
      identities: identities(of: absorbed).values.reduce(into: [:]) { $0[$1.id] = $1 },
      emails: emails(of: absorbed), own: emails(of: survivor).filter { emails(of: absorbed)[$0.key] != nil },
      reported: Set(identities(of: survivor).values.compactMap(\.report?.address)),
      removed: removals.reduce(into: [:]) { if $1.key.user == survivor { $0[$1.key.address] = $1.value } },
      former: Set(users.filter { $0.value.survivor == absorbed }.keys))
    move(absorbed, into: survivor, by: merge)
    return told(merge)
  }

  private mutating func move(_ absorbed: Name, into survivor: Name, by merge: Name) {
    if status(of: survivor) == .active, status(of: absorbed) == .disabled {
      users[survivor]?.status = .disabled
      users[survivor]?.disabledBy = merge
    }
    for subject in identities(of: absorbed).keys {
      identities[subject]?.user = survivor
      identities[subject]?.linkedBy = "merge"
    }
    for (address, email) in emails(of: absorbed) {
      emails[Place(user: absorbed, address: address)] = nil
      let place = Place(user: survivor, address: address)
      removals[place] = nil
      if var own = emails[place] {
        own.vouchers.formUnion(email.vouchers)
        own.isProvedByToken = own.isProvedByToken || email.isProvedByToken
        own.merges.insert(merge)
        emails[place] = own
      } else {
        emails[place] = email
        emails[place]?.token = nil
        emails[place]?.merges.insert(merge)
      }
    }
    for unlinking in unlinkings.keys where unlinking.user == absorbed {
      let moved = Unlinking(subject: unlinking.subject, user: survivor)
      if identities[unlinking.subject]?.user != survivor, unlinkings[moved] == nil {
        unlinkings[moved] = Mark(merge: merge)
      }
    }
    for removal in removals.keys where removal.user == absorbed {
      let moved = Place(user: survivor, address: removal.address)
      if emails[moved] == nil, removals[moved] == nil { removals[moved] = Mark(merge: merge) }
    }
    for former in users.keys where users[former]?.survivor == absorbed { users[former]?.survivor = survivor }
    users[absorbed]?.status = .merged
    users[absorbed]?.survivor = survivor
    beginEpoch(of: absorbed)
    beginEpoch(of: survivor)
  }

  private func told(_ name: Name) -> Answer {
    var answer = Answer.done
    answer.merge = merges[name].map {
      Answer.Merge(
        id: name, survivor: $0.survivor, absorbed: $0.absorbed, isUndone: $0.isUndone,
        identities: $0.identities.count, emails: $0.emails.count)
    }
    return answer
  }

  mutating func undo(_ name: Name) -> Answer {
    guard let merge = merges[name] else { return Answer("not_found") }
    guard !merge.isUndone else { return told(name) }
    let (survivor, absorbed) = (merge.survivor, merge.absorbed)
    guard status(of: survivor) != .erased, status(of: absorbed) != .erased else { return Answer("user_erased") }
    if let later = later(than: name) {
      var answer = Answer("merge_superseded")
      answer.later = later
      return answer
    }
    var after = self
    after.part(absorbed, from: survivor, by: name, merge)
    let ways = (before: identities(of: survivor).keys, after: after.identities(of: survivor).keys)
    let isVerified = (
      before: emails(of: survivor).values.contains(where: \.isVerified),
      after: after.emails(of: survivor).values.contains(where: \.isVerified)
    )
    // One who could not sign in before is not left without a way in by this.
    guard
      !isUsable(ways.before, withVerifiedAddress: isVerified.before)
        || isUsable(ways.after, withVerifiedAddress: isVerified.after)
    else { return Answer("last_sign_in_method") }
    self = after
    return told(name)
  }

  /// The merge to be undone before this one.
  private func later(than name: Name) -> Name? {
    var found: Name?
    var current = name
    while let merge = merges[current] {
      let next = merges.filter { other in
        !other.value.isUndone && other.value.place > merge.place
          && !Set([other.value.survivor, other.value.absorbed]).isDisjoint(with: [merge.survivor, merge.absorbed])
      }.max { $0.value.place < $1.value.place }?.key
      guard let next else { break }
      found = next
      current = next
    }
    return found
  }

  private mutating func part(_ absorbed: Name, from survivor: Name, by name: Name, _ merge: Merge) {
    merges[name]?.isUndone = true
    users[absorbed]?.status = merge.absorbedStatus
    users[absorbed]?.survivor = nil
    if users[survivor]?.disabledBy == name {
      users[survivor]?.status = .active
      users[survivor]?.disabledBy = nil
    }
    for (subject, identity) in identities(of: survivor) {
      guard let former = merge.identities[identity.id] else { continue }
      identities[subject]?.user = absorbed
      identities[subject]?.linkedBy = former.linkedBy
    }
    partRemovals(of: merge)
    for (address, email) in emails(of: survivor) { divide(email, address, by: name, merge) }
    unlinkings = unlinkings.filter { $0.value.merge != name }
    removals = removals.filter { $0.value.merge != name }
    for (address, mark) in merge.removed where merge.emails[address] != nil {
      let place = Place(user: survivor, address: address)
      if emails[place] == nil, removals[place] == nil { removals[place] = mark }
    }
    for former in merge.former where users[former]?.survivor == survivor { users[former]?.survivor = absorbed }
    beginEpoch(of: absorbed)
    beginEpoch(of: survivor)
  }

  /// What was removed while they were one stays removed from whose it was.
  private mutating func partRemovals(of merge: Merge) {
    let reported = Set(identities(of: merge.survivor).values.compactMap(\.report?.address))
    for (removal, mark) in removals where removal.user == merge.survivor && mark.merge == nil {
      let address = removal.address
      guard merge.emails[address] != nil || merge.reports[address] != nil else { continue }
      let had =
        merge.emails[address] == nil
        ? merge.reports[address] == true : merge.own[address] != nil || merge.reported.contains(address)
      if !had && !reported.contains(address) { removals[removal] = nil }
      removals[Place(user: merge.absorbed, address: address)] = Mark()
    }
  }

  /// Writes down what an identity is about to report, for the undo of the merges that brought it.
  ///
  /// - Returns: these merges.
  mutating func noteReport(of address: Address, by known: Identity) -> Set<Name> {
    guard removals[Place(user: known.user, address: address)] == nil else { return [] }
    let brought = merges.filter { !$0.value.isUndone && $0.value.identities[known.id] != nil }
    for (name, merge) in brought where merge.reports[address] == nil {
      let had = merges.values.contains { !$0.isUndone && $0.absorbed == merge.survivor && $0.emails[address] != nil }
      merges[name]?.reports[address] = had || emails[Place(user: merge.survivor, address: address)] != nil
    }
    return Set(brought.keys)
  }

  /// What vouches for an address, and who reports it, goes with the identities, which have gone back by now. Where anything is
  /// left that vouches for it the survivor holds it, and the absorbed user, if they have it, merely claims it.
  private mutating func divide(_ email: Email, _ address: Address, by name: Name, _ merge: Merge) {
    let former = email.merges.contains(name) ? merge.emails[address] : nil
    let own = former == nil ? nil : merge.own[address]
    let returned = identities(of: merge.absorbed).values
    let vouchers = email.vouchers.intersection(returned.map(\.id))
    // Whoever reported it before without having it does not get it by this.
    guard former != nil || !vouchers.isEmpty || email.reports.contains(name) else { return }
    let tokenReturns = email.isProvedByToken && former?.isProvedByToken == true && own?.isProvedByToken != true
    var kept = email
    kept.vouchers.subtract(vouchers)
    kept.merges.remove(name)
    kept.reports.remove(name)
    kept.isProvedByToken = email.isProvedByToken && !tokenReturns
    var back = former ?? Email(born: email.born)
    back.token = nil
    back.reports.formUnion(kept.reports)
    back.vouchers = kept.isVerified ? [] : vouchers
    back.isProvedByToken = tokenReturns && !kept.isVerified
    let isReported = identities(of: merge.survivor).values.contains { $0.report?.address == address }
    let isOwn =
      former == nil
      ? email.born <= merge.place || isReported : own != nil || isReported && !merge.reported.contains(address)
    emails[Place(user: merge.survivor, address: address)] = isOwn || kept.isVerified ? kept : nil
    let place = Place(user: merge.absorbed, address: address)
    if removals[place] == nil { emails[place] = back }
  }
}
