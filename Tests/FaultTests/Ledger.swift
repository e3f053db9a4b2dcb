import Synchronization
import TestSupport
import Testing

/// What was called and what was answered, and whether it is still true after a fault.
final class Ledger: CallSource {
  enum Fate: Sendable {
    case unanswered
    case answered(WireAnswer)
  }

  struct Entry: Sendable {
    let call: KeyedCall
    var fate: Fate
  }

  private struct State {
    var entries: [Entry] = []
    /// From here on entries are of the present round.
    var roundStart = 0
    /// Who was answered for, and with which user.
    var users: [Int: String] = [:]
  }

  let answers = AnswerCount()
  let stopsWhenRefused = true
  let tag: String
  /// How many people there are to choose from.
  let people: Int
  private let state = Mutex(State())

  init(tag: String, people: Int) {
    self.tag = tag
    self.people = people
  }

  /// How many people were told that they are somebody.
  var knownPeople: Int { state.withLock(\.users.count) }

  func nextCall() -> (number: Int, call: KeyedCall) {
    state.withLock { state in
      let number = state.entries.count
      let provider = Bool.random() ? "apple" : "linkedin"
      let call = KeyedCall.signIn(.random(in: 0..<people), by: provider, number: number, tag: tag)
      state.entries.append(Entry(call: call, fate: .unanswered))
      return (number, call)
    }
  }

  func note(_ answer: WireAnswer, to number: Int) {
    state.withLock { $0.entries[number].fate = .answered(answer) }
    answers.add()
  }

  /// Returns once so many more calls are answered, or when nobody calls any more.
  func waitForAnswers(_ count: Int) async { await answers.wait(for: count) }

  /// Makes every call of this round again and compares; then a new round begins.
  ///
  /// - Parameters:
  ///   - kept: the request keys that the database held when the round was over, before any repeat.
  ///   - reasons: with what a call may have been refused.
  ///   - mayLoseAnswers: whether a call may have been done whose answer never came.
  func settle(
    on peer: TestPeer, kept: Set<String>, refusals reasons: Set<String> = [], mayLoseAnswers: Bool = true
  ) async throws {
    // Until then whoever is in the spool is told to try again.
    try await peer.waitUntilDelivered()
    let entries = state.withLock { Array($0.entries[$0.roundStart...]) }
    for entry in entries {
      switch entry.fate {
      case .answered(let answer) where answer.reason != nil:
        #expect(reasons.contains(answer.reason ?? ""), "\(answer.text)")
        #expect(answer.error?["data"]?["retryable"]?.bool == true, "\(answer.text)")
        #expect(!kept.contains(entry.call.key), "told that it failed, and it had not: \(answer.text)")
        try await compare(entry.call, with: try await entry.call.make(on: peer), on: peer)
      case .answered(let answer):
        #expect(kept.contains(entry.call.key) == (answer.outcome != "signed_in"), "\(answer.text)")
        try await compare(entry.call, with: answer, on: peer)
      case .unanswered:
        #expect(mayLoseAnswers || !kept.contains(entry.call.key), "done and not answered: \(entry.call.line)")
        let answer = try await entry.call.make(on: peer)
        if kept.contains(entry.call.key) { #expect(answer.outcome != "signed_in", "\(answer.text)") }
        try await compare(entry.call, with: answer, on: peer)
      }
    }
    state.withLock { $0.roundStart = $0.entries.count }
  }

  /// An answer holds: its repeat is the same, and everything ever said of the person names one user.
  private func compare(_ call: KeyedCall, with answer: WireAnswer, on peer: TestPeer) async throws {
    let again = try await call.make(on: peer)
    if answer.outcome == "signed_in" {
      #expect(again.userID == answer.userID)
    } else {
      #expect(again.text == answer.text)
    }
    let user = try #require(answer.userID, "\(answer.text)")
    let known = state.withLock { state in
      defer { state.users[call.person] = user }
      return state.users[call.person] ?? user
    }
    #expect(known == user, "one person became two users")
  }
}
