import Synchronization
import TestSupport
import Testing

/// Two accounts of one person that a client merges and parts again and again, and what is known to be true of them.
final class MergedCouple: Sendable {
  private struct State {
    var isMerged = false
    var merge: String?
    /// The call of which no answer has come.
    var open: KeyedCall?
    var calls = 0
  }

  private let number: Int
  private let survivor: String
  private let absorbed: String
  let answers: AnswerCount
  private let state = Mutex(State())

  /// Signs both in, and gives the second a credential.
  init(number: Int, answers: AnswerCount, on peer: TestPeer) async throws {
    self.number = number
    self.answers = answers
    let ids = try await ["apple", "linkedin"].asyncMap { provider in
      let name = "\(DaemonTrial.canary)-\(number)"
      let answer = try await peer.signIn(
        provider, name, "\(name).\(provider)@example.org", verified: true, #""nickname":"\#(provider)""#)
      return answer.userID ?? ""
    }
    (survivor, absorbed) = (ids[0], ids[1])
    let put = try await peer.call("credential.put", "{\(place),\"user_id\":\"\(absorbed)\",\"secret\":\"AAEC\"}")
    #expect(put.result != nil, "\(put.text)")
  }

  private var place: String { #""access_group":"web","account":"\#(number)","service":"s""# }

  /// Merges and parts until the connection ends.
  func run(on peer: TestPeer) async {
    while await step(on: peer) {}
  }

  private func step(on peer: TestPeer) async -> Bool {
    guard let call = await nextCall(on: peer) else { return false }
    state.withLock { $0.open = call }
    peer.send(call.line)
    guard let answer = try? await peer.answer() else { return false }
    answers.add()
    // What the database could not take is open as well.
    guard answer.result != nil else { return answer.error?["data"]?["retryable"]?.bool == true ? false : fail(answer) }
    note(answer)
    return true
  }

  private func fail(_ answer: WireAnswer) -> Bool {
    Issue.record("\(answer.text)")
    return false
  }

  private func nextCall(on peer: TestPeer) async -> KeyedCall? {
    let (merge, calls) = state.withLock { state in
      state.calls += 1
      return (state.isMerged ? state.merge : nil, state.calls)
    }
    if let merge {
      return KeyedCall(
        "merge.undo", #""merge_id":"\#(merge)","reason":"two after all""#, person: number, number: calls,
        tag: "u\(number)")
    }
    let plan = try? await peer.call("merge.plan", #"{"users":["\#(absorbed)","\#(survivor)"]}"#)
    guard let token = plan?.result?["plan_token"]?.string else { return nil }
    return KeyedCall(
      "merge.run", #""plan_token":"\#(token)","reason":"one person""#, person: number, number: calls,
      tag: "m\(number)")
  }

  private func note(_ answer: WireAnswer) {
    state.withLock { state in
      state.open = nil
      state.merge = answer.result?["merge_id"]?.string
      state.isMerged = answer.result?["state"]?.string == "done"
    }
  }

  /// Repeats what was not answered, and finds everything as the answers say.
  func settle(on peer: TestPeer) async throws {
    if let open = state.withLock(\.open) {
      let answer = try await open.make(on: peer)
      #expect(answer.result != nil, "\(answer.text)")
      note(answer)
    }
    let isMerged = state.withLock(\.isMerged)
    let found = try await ask(peer, "user.get", #"{"id":"\#(absorbed)","include":["profile","emails","identities"]}"#)
    #expect(found.userID == (isMerged ? survivor : absorbed))
    let user = found.result?["user"]
    #expect(user?["identities"]?.elements.count == (isMerged ? 2 : 1))
    #expect(user?["emails"]?.elements.map { $0["verified"]?.bool } == (isMerged ? [true, true] : [true]))
    #expect(user?["profile"]?["nickname"]?.string == (isMerged ? "apple" : "linkedin"))
    let credential = try await ask(peer, "credential.get", "{\(place)}")
    #expect(credential.result?["credential"]?["secret"]?.string == "AAEC")
    #expect(credential.result?["credential"]?["user_id"]?.string == (isMerged ? survivor : absorbed))
  }
}

extension MergedCouple {
  /// Asks, and again while the database is not quite back.
  private func ask(_ peer: TestPeer, _ method: String, _ params: String) async throws -> WireAnswer {
    let start = ContinuousClock.now
    while true {
      let answer = try await peer.call(method, params)
      guard answer.error?["data"]?["retryable"]?.bool == true, .now - start < .seconds(10) else { return answer }
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
