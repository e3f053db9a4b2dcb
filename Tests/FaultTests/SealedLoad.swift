import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// A client that keeps and reads what is sealed, and knows what it must find.
final class SealedLoad: Sendable {
  private struct State {
    var isStopped = false
    var calls = 0
    var people = 0
    /// Who was told to be held, of those who are not to become users.
    var held: Set<Int> = []
    /// What the credential of this client may hold: more than one where an answer never came.
    var secrets: Set<String> = []
    var isPut = false
  }

  private let number: Int
  /// How many credentials of everybody there are.
  private let credentials: Int
  private let state = Mutex(State())

  init(number: Int, credentials: Int) {
    self.number = number
    self.credentials = credentials
  }

  var calls: Int { state.withLock(\.calls) }
  var heldCount: Int { state.withLock(\.held.count) }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Calls until it is stopped.
  ///
  /// - Parameter endsByKill: whether the connection ends by itself.
  func run(on trial: DaemonTrial, endsByKill: Bool) async throws {
    state.withLock { $0.isStopped = false }
    let peer = try trial.connect()
    defer { peer.close() }
    do {
      while !state.withLock(\.isStopped) {
        switch Int.random(in: 0..<4) {
        case 0: try await hold(on: peer)
        case 1: try await put(on: peer)
        case 2: try await expectLastSecret(on: peer)
        default: try await readCommon(on: peer)
        }
      }
    } catch is TestPeer.Ended where endsByKill {}
  }

  private func call(_ peer: TestPeer, _ method: String, _ params: String) async throws -> WireAnswer {
    let answer = try await peer.call(method, params)
    #expect(answer.reason == nil, "\(answer.text)")
    state.withLock { $0.calls += 1 }
    return answer
  }

  /// Holds somebody, takes them up again without their name, and makes a user of every second.
  private func hold(on peer: TestPeer) async throws {
    let person = state.withLock { state in
      state.people += 1
      return state.people
    }
    let subject = "\(DaemonTrial.canary)-\(number)-\(person)"
    let identity = #""provider":"apple","subject":"\#(subject)","register":"hold""#
    let details = #""email":"\#(subject)@example.org","email_verified":true,"name":{"full":"\#(subject)"}"#
    let first = try await call(peer, "signin.resolve", "{\(identity),\(details)}")
    let registration = first.result?["registration"]?["id"]?.string ?? ""
    if person % 2 == 0 { state.withLock { _ = $0.held.insert(person) } }
    let again = try await call(peer, "signin.resolve", #"{\#(identity),"nickname":"n"}"#)
    #expect(again.result?["registration"]?["details"]?["name"]?["full"]?.string == subject, "\(again.text)")
    guard person % 2 == 1 else { return }
    let user = try await call(
      peer, "registration.complete", #"{"registration_id":"\#(registration)","include":["profile"]}"#)
    #expect(user.result?["user"]?["profile"]?["name"]?["full"]?.string == subject, "\(user.text)")
  }

  private func put(on peer: TestPeer) async throws {
    let secret = "\(number) \(UInt64.random(in: .min ... .max))"
    state.withLock { _ = $0.secrets.insert(secret) }
    let base64 = Data(secret.utf8).base64EncodedString()
    _ = try await call(
      peer, "credential.put", Self.place("own", "\(number)", #","secret":"\#(base64)""#))
    state.withLock { state in
      state.secrets = [secret]
      state.isPut = true
    }
  }

  func expectLastSecret(on trial: DaemonTrial) async throws {
    let peer = try trial.connect()
    defer { peer.close() }
    try await expectLastSecret(on: peer)
  }

  private func expectLastSecret(on peer: TestPeer) async throws {
    let (secrets, isPut) = state.withLock { ($0.secrets, $0.isPut) }
    guard !secrets.isEmpty else { return }
    let answer = try await peer.call("credential.get", Self.place("own", "\(number)"))
    guard let secret = Self.secret(answer) else {
      #expect(!isPut && answer.reason == "not_found", "\(answer.text)")
      return
    }
    #expect(secrets.contains(secret), "another secret than was put")
  }

  private func readCommon(on peer: TestPeer) async throws {
    let number = Int.random(in: 0..<credentials)
    let answer = try await call(peer, "credential.get", Self.place("g", "a\(number)"))
    #expect(Self.secret(answer) == "secret \(number)")
  }

  /// Parameters that name a credential.
  static func place(_ group: String, _ account: String, _ more: String = "") -> String {
    #"{"access_group":"\#(group)","account":"\#(account)","service":"s"\#(more)}"#
  }

  static func secret(_ answer: WireAnswer) -> String? {
    answer.result?["credential"]?["secret"]?.string.flatMap { Data(base64Encoded: $0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
