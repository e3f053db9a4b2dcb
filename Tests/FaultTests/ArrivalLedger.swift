import Synchronization
import TestSupport
import Testing

/// People who tell their names once and are held, taken up again, failed, completed or registered; what was answered; and
/// whether it is still true after a fault.
final class ArrivalLedger: CallSource {
  fileprivate enum Kind {
    /// Tells everything.
    case first
    /// Tells nothing, or a nickname.
    case again
    /// Of a registration.
    case fail(String)
    case complete(String)
  }

  fileprivate struct Entry {
    let kind: Kind
    let arrival: Arrival
    let call: KeyedCall
    var answer: WireAnswer?
  }

  private struct State {
    var entries: [Entry] = []
    /// From here on entries are of the present round.
    var roundStart = 0
    var people = 0
    /// Everybody of whom a call was made.
    var known: Set<Arrival> = []
    /// Those of whom a call was acknowledged.
    var acknowledged: Set<Arrival> = []
    /// The same to choose from.
    var choice: [Arrival] = []
    var registrations: [Arrival: String] = [:]
    var users: [Int: String] = [:]
    /// The numbers of failures that were told, by registration.
    var failures: [String: Set<Int>] = [:]
  }

  let answers = AnswerCount()
  let stopsWhenRefused = false
  let tag: String
  private let state = Mutex(State())

  init(tag: String) { self.tag = tag }

  /// How many calls were made, people came by how many ways, and of them were acknowledged.
  var summary: String {
    state.withLock { state in
      """
      \(tag): \(state.entries.count) calls, \(state.people) people, \(state.known.count) arrivals, \
      \(state.acknowledged.count) acknowledged, \(state.users.count) users, \
      \(state.failures.values.reduce(0) { $0 + $1.count }) failures
      """
    }
  }

  // MARK: Calling

  func nextCall() -> (number: Int, call: KeyedCall) {
    state.withLock { state in
      let number = state.entries.count
      let (kind, arrival) = nextStep(&state)
      let call = call(kind, arrival, number)
      state.entries.append(Entry(kind: kind, arrival: arrival, call: call))
      return (number, call)
    }
  }

  private func nextStep(_ state: inout State) -> (Kind, Arrival) {
    guard let arrival = state.choice.randomElement(), .random(in: 0..<10) >= 4 else {
      return (.first, newArrival(&state))
    }
    guard let registration = state.registrations[arrival] else { return (.again, arrival) }
    switch Int.random(in: 0..<4) {
    case 0: return (.fail(registration), arrival)
    case 1 where arrival.isTrusted: return (.complete(registration), arrival)
    default: return (.again, arrival)
    }
  }

  /// Somebody new, or somebody who came another way before.
  private func newArrival(_ state: inout State) -> Arrival {
    if state.people > 0, Bool.random() {
      let person = Int.random(in: 0..<state.people)
      let ways = Arrival.providers.map { Arrival(person: person, provider: $0) }
      if let arrival = ways.filter({ !state.known.contains($0) }).randomElement() {
        state.known.insert(arrival)
        return arrival
      }
    }
    let arrival = Arrival(person: state.people, provider: Arrival.providers.randomElement() ?? "")
    state.people += 1
    state.known.insert(arrival)
    return arrival
  }

  private func call(_ kind: Kind, _ arrival: Arrival, _ number: Int) -> KeyedCall {
    func call(_ method: String, _ members: String) -> KeyedCall {
      KeyedCall(method, members, person: arrival.person, number: number, tag: tag)
    }
    // Whose address proves nothing would become a user of their own.
    let register = #","register":"\#(arrival.isTrusted && Bool.random() ? "auto" : "hold")""#
    switch kind {
    case .first: return call("signin.resolve", "\(arrival.identity(tag)),\(arrival.details(tag))\(register)")
    case .again:
      let nickname = Bool.random() ? #","nickname":"n\#(number)""# : ""
      return call("signin.resolve", "\(arrival.identity(tag))\(nickname)\(register)")
    case .fail(let id): return call("registration.fail", #""registration_id":"\#(id)","reason":"step \#(number)""#)
    case .complete(let id): return call("registration.complete", #""registration_id":"\#(id)""#)
    }
  }

  func note(_ answer: WireAnswer, to number: Int) {
    state.withLock { state in
      state.entries[number].answer = answer
      learn(answer, to: state.entries[number], &state)
    }
    answers.add()
  }

  private func learn(_ answer: WireAnswer, to entry: Entry, _ state: inout State) {
    let arrival = entry.arrival
    let isKept = answer.error?["data"]?["kept"]?.bool
    if case .first = entry.kind {
      if answer.reason == "database_unavailable" { #expect(isKept == true, "\(answer.text)") }
      if answer.outcome != nil || isKept == true, state.acknowledged.insert(arrival).inserted {
        state.choice.append(arrival)
      }
    }
    if let registration = answer.result?["registration"]?["id"]?.string {
      let former = state.registrations.updateValue(registration, forKey: arrival)
      #expect(former == nil || former == registration, "held twice: \(answer.text)")
    }
    if let user = answer.userID { learn(user, of: arrival, &state) }
    if case .fail(let registration) = entry.kind, let attempts = answer.result?["attempts"]?.integer {
      #expect(state.failures[registration, default: []].insert(attempts).inserted, "counted twice: \(answer.text)")
    }
  }

  private func learn(_ user: String, of arrival: Arrival, _ state: inout State) {
    #expect(arrival.isTrusted, "an address that proves nothing opened an account")
    #expect(state.users[arrival.person] == nil || state.users[arrival.person] == user, "one person became two users")
    state.users[arrival.person] = user
  }

  // MARK: Afterwards

  /// Sees that everybody's name is there, then makes every call of this round again and compares; then a new round begins.
  ///
  /// - Parameters:
  ///   - spooled: who was in the spool when the daemon was gone.
  ///   - reasons: with what a call may have been refused.
  func settle(
    on peer: TestPeer, _ reader: DatabaseReader, spooled: Set<Arrival> = [], refusals reasons: Set<String> = []
  ) async throws {
    let entries = state.withLock { Array($0.entries[$0.roundStart...]) }
    let kept = try await reader.keptKeys()
    try await expectAttempts(reader, unanswered: entries.filter { $0.answer == nil })
    let seen = spooled.union(try await arrivals(in: reader)).union(state.withLock(\.acknowledged))
    for arrival in Set(entries.map(\.arrival)).intersection(seen) { try await expectName(of: arrival, on: peer) }
    for entry in entries {
      switch entry.answer {
      case nil: try await makeAgain(entry, isKept: kept.contains(entry.call.key), on: peer)
      case let answer? where answer.reason != nil:
        #expect(reasons.contains(answer.reason ?? "") || entry.mayBeTooLate(answer), "\(answer.text)")
        #expect(!kept.contains(entry.call.key), "told that it failed, and it had not: \(answer.text)")
        try await makeAgain(entry, isKept: false, on: peer)
      case let answer?:
        #expect(kept.contains(entry.call.key) || !entry.hasChanged(by: answer), "\(answer.text)")
        guard kept.contains(entry.call.key) else { continue }
        #expect(try await entry.call.make(on: peer).text == answer.text)
      }
    }
    try await expectAttempts(reader, unanswered: [])
    state.withLock { $0.roundStart = $0.entries.count }
  }

  private func makeAgain(_ entry: Entry, isKept: Bool, on peer: TestPeer) async throws {
    let answer = try await entry.call.make(on: peer)
    #expect(answer.reason == nil || entry.mayBeTooLate(answer), "\(answer.text)")
    state.withLock { learn(answer, to: entry, &$0) }
    if isKept { #expect(try await entry.call.make(on: peer).text == answer.text) }
  }

  /// Who says nothing but who they are, by the provider, is still known by the name that they told once.
  private func expectName(of arrival: Arrival, on peer: TestPeer) async throws {
    let link = arrival.isTrusted ? "" : #","link":"never""#
    let members = #"\#(arrival.identity(tag)),"register":"hold"\#(link),"include":["profile"]"#
    var answer = try await peer.call("signin.resolve", "{\(members)}")
    let start = ContinuousClock.now
    while answer.error?["data"]?["retryable"]?.bool == true, .now - start < .seconds(10) {
      answer = try await peer.call("signin.resolve", "{\(members)}")
    }
    let result = answer.result
    let name = (result?["user"]?["profile"] ?? result?["registration"]?["details"])?["name"]?["full"]?.string
    #expect(name == arrival.name(tag), "\(answer.text)")
    if let user = answer.userID { state.withLock { learn(user, of: arrival, &$0) } }
  }

  /// Every failure that was told is counted, and no other but those whose answers were lost.
  private func expectAttempts(_ reader: DatabaseReader, unanswered: [Entry]) async throws {
    let rows = try await reader.texts("select r.id::text || ' ' || r.attempts::text from kith.registrations r")
    let attempts = rows.reduce(into: [String: Int]()) { attempts, row in
      let parts = row.split(separator: " ")
      attempts[String(parts[0])] = Int(parts[1])
    }
    for (registration, told) in state.withLock(\.failures) {
      let lost = unanswered.count { if case .fail(registration) = $0.kind { true } else { false } }
      let counted = attempts[registration] ?? -1
      #expect((told.count...told.count + lost).contains(counted), "failures of registration \(registration)")
      #expect(told.max() ?? 0 <= counted)
    }
  }

  private func arrivals(in reader: DatabaseReader) async throws -> Set<Arrival> {
    let rows = try await reader.texts(
      """
      select n.provider || ' ' || s.subject from (
        select i.namespace_id, i.subject from kith.identities i
        union select r.namespace_id, r.subject from kith.registrations r
      ) s join kith.namespaces n on n.id = s.namespace_id
      """)
    return Set(
      rows.compactMap { row in
        let parts = row.split(separator: " ").map(String.init)
        return Arrival(provider: parts[0], subject: parts[1], tag: tag)
      })
  }

  /// Nobody is two users, everybody who was held was told of once, and the tables hold together.
  func expectOneUserEach(_ reader: DatabaseReader) async throws {
    #expect(try await reader.count("select count(*)::text from kith.users") == state.withLock(\.users.count))
    #expect(
      try await reader.texts(
        "select i.subject from kith.identities i group by i.subject having count(distinct i.user_id) > 1") == [])
    #expect(
      try await reader.count("select count(*)::text from kith.events where type = 'registration.held'")
        == reader.count("select count(*)::text from kith.registrations"))
    try await TestDatabase.expectConsistency { try await reader.texts($0) }
    FaultTests.tell(summary)
  }
}

extension ArrivalLedger.Entry {
  /// Whether a refusal says that the registration has become a user meanwhile.
  fileprivate func mayBeTooLate(_ answer: WireAnswer) -> Bool {
    if case .fail = kind { answer.reason == "not_found" } else { false }
  }

  /// Whether an answer can only be that of a call that changed something.
  fileprivate func hasChanged(by answer: WireAnswer) -> Bool {
    switch kind {
    case .first: answer.outcome != "signed_in"
    case .again: answer.outcome == "linked" || answer.outcome == "registered"
    case .fail: true
    case .complete: false
    }
  }
}
