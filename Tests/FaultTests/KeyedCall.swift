import TestSupport

/// A call that changes something, with the request key that lets it be made again.
struct KeyedCall: Sendable {
  let key: String
  /// Whom it is about; what every true answer about the same one has in common is the user's id.
  let person: Int
  /// The whole line.
  let line: String

  init(_ method: String, _ members: String, person: Int, number: Int, tag: String) {
    key = "\(tag)-\(number)"
    self.person = person
    line = TestPeer.call(method, #"{\#(members),"request_key":"\#(key)"}"#, id: "\(number)")
  }

  /// A sign-in of a person by one of the two providers whose addresses are trusted.
  static func signIn(_ person: Int, by provider: String, number: Int, tag: String) -> KeyedCall {
    KeyedCall(
      "signin.resolve",
      #"""
      "provider":"\#(provider)","subject":"\#(DaemonTrial.canary)-\#(tag)-\#(person)",\#
      "email":"\#(DaemonTrial.canary).\#(tag).\#(person)@example.org","email_verified":true,\#
      "name":{"full":"Mira \#(DaemonTrial.canary) \#(person)"}
      """#, person: person, number: number, tag: tag)
  }

  /// Makes the call; while the same call is running elsewhere or the database is away, again.
  func make(on peer: TestPeer) async throws -> WireAnswer {
    let start = ContinuousClock.now
    while true {
      peer.send(line)
      let answer = try await peer.answer()
      // A daemon's calls outlive it by ten seconds at most.
      guard answer.error?["data"]?["retryable"]?.bool == true, .now - start < .seconds(10) else { return answer }
    }
  }
}
