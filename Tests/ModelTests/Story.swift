/// A history that is made up, to see whether the search takes it.
struct Story {
  private var events: [History.Event] = []
  private var clock = 0

  init() {}

  var history: History { History(events) }

  /// Whether there is an order that explains it.
  var isExplained: Bool {
    do throws(OrderSearch.Failure) {
      _ = try OrderSearch.find(history)
      return true
    } catch {
      return false
    }
  }

  /// Calls that are all under way at once, each of a client of its own, after all that was told before.
  mutating func together(_ calls: (Call, Answer)...) {
    for (client, (call, answer)) in calls.enumerated() {
      events.append(
        History.Event(
          client: client, begin: clock + client, end: clock + calls.count + client, call, answer))
    }
    clock += calls.count * 2
  }

  /// One call.
  mutating func then(_ call: Call, _ answer: Answer) { together((call, answer)) }
}

extension Name {
  static func u(_ number: Int) -> Name { Name(.user, number) }
  static func i(_ number: Int) -> Name { Name(.identity, number) }
  static func c(_ number: Int) -> Name { Name(.challenge, number) }
  static func m(_ number: Int) -> Name { Name(.merge, number) }
  static func p(_ number: Int) -> Name { Name(.plan, number) }
}

extension Answer {
  /// As a sign-in of somebody who is a user is answered.
  static func user(
    _ word: String, _ user: Name, _ identity: Name, _ subject: Subject, by linkedBy: String, _ report: Report? = nil,
    matchedBy: String? = nil, isResumed: Bool = false
  ) -> Answer {
    var answer = Answer(word)
    answer.user = user
    answer.status = "active"
    answer.matchedBy = matchedBy
    answer.identity = Identity(id: identity, subject: subject, user: user, linkedBy: linkedBy, report: report)
    answer.isResumed = isResumed
    return answer
  }

  static func registered(_ user: Name, _ identity: Name, _ subject: Subject, _ report: Report? = nil) -> Answer {
    .user("registered", user, identity, subject, by: "register", report)
  }

  static func challenged(_ challenge: Name, candidate: Name, _ providers: [String]) -> Answer {
    var answer = Answer("link_required")
    answer.challenge = challenge
    answer.candidates = [Candidate(user: candidate, providers: providers)]
    return answer
  }

  static func planned(_ plan: Name, _ absorbed: Name, into survivor: Name) -> Answer {
    var answer = Answer.done
    answer.plan = plan
    answer.survivor = survivor
    answer.absorbed = absorbed
    return answer
  }

  static func merged(
    _ merge: Name, _ absorbed: Name, into survivor: Name, identities: Int, emails: Int, isUndone: Bool = false
  ) -> Answer {
    var answer = Answer.done
    answer.merge = Merge(
      id: merge, survivor: survivor, absorbed: absorbed, isUndone: isUndone, identities: identities, emails: emails)
    return answer
  }
}
