import TestSupport
import Testing

extension FaultTests {
  /// The connection to PostgreSQL is cut on one side of COMMIT or the other, for everything that changes something.
  @Suite
  struct CutCommitTests {
    /// Something that changes something, and where the database shows how often it was done.
    enum Change: String, CaseIterable, Sendable {
      case register, link, changeEmail, challenge, update, disable, enable, acknowledge
      case confirm, linkByWord, unlink, addEmail, verifyEmail, removeEmail, erase

      var traces: StaticString {
        switch self {
        case .register: "select count(*)::text from kith.users"
        case .link: "select count(*)::text from kith.events where type = 'identity.linked'"
        case .changeEmail: "select count(*)::text from kith.events where type = 'identity.email_changed'"
        case .challenge: "select count(*)::text from kith.challenges"
        case .update: "select count(*)::text from kith.events where type = 'user.updated'"
        case .disable: "select count(*)::text from kith.events where type = 'user.disabled'"
        case .acknowledge: "select place::text from kith.consumers"
        case .enable: "select count(*)::text from kith.events where type = 'user.enabled'"
        case .confirm:
          "select count(*)::text from kith.challenges where used_at is not null and attempts = 0"
        case .linkByWord: "select count(*)::text from kith.audit where action = 'identity.link'"
        case .unlink: "select count(*)::text from kith.events where type = 'identity.unlinked'"
        case .addEmail: "select count(*)::text from kith.email_tokens"
        case .verifyEmail: "select count(*)::text from kith.events where type = 'email.verified'"
        case .removeEmail: "select count(*)::text from kith.audit where action = 'email.remove'"
        case .erase: "select count(*)::text from kith.events where type = 'user.erased'"
        }
      }
    }

    @Test(arguments: Change.allCases, CommitCutter.Moment.allCases)
    func `a change is done once and answered truly, wherever its connection is cut`(
      change: Change, moment: CommitCutter.Moment
    ) async throws {
      try await TestDatabase.with { database in
        try await CommitCutter.with(database) { cutter in
          try await DaemonTrial.with(database: cutter.conninfo) { trial in
            try await trial.withDaemon { _ in
              let peer = try trial.connect()
              defer { peer.close() }
              for round in 1...rounds(5) {
                let call = try await prepare(change, round, on: peer)
                await cutter.cutNext(moment)
                peer.send(call.line)
                let answer = try await peer.answer()
                #expect(answer.reason == nil, "\(answer.text)")
                #expect(try await call.make(on: peer).text == answer.text)
                try await checkWrongProof(change, round, moment, cutter, on: peer, database)
                #expect(await cutter.cuts == round * (change == .challenge ? 2 : 1))
              }
            }
          }
        }
        #expect(try await database.count(change.traces) == rounds(5))
      }
    }

    /// A wrong proof is refused, and counted once, wherever its connection is cut.
    private func checkWrongProof(
      _ change: Change, _ round: Int, _ moment: CommitCutter.Moment, _ cutter: CommitCutter, on peer: TestPeer,
      _ database: TestDatabase
    ) async throws {
      guard change == .challenge else { return }
      let asked = try await KeyedCall.signIn(round, by: "naver", number: 3 * round + 1, tag: "cut").make(on: peer)
      await cutter.cutNext(moment)
      let answer = try await peer.confirm(asked.challengeID, Proof.claims("apple", "nobody"))
      #expect(answer.reason == "proof_rejected", "\(answer.text)")
      #expect(try await database.count("select sum(attempts)::text from kith.challenges") == round)
    }

    /// Brings somebody into the state that the change starts from, and gives the call that changes it.
    private func prepare(_ change: Change, _ round: Int, on peer: TestPeer) async throws -> KeyedCall {
      let first = KeyedCall.signIn(round, by: "apple", number: 3 * round, tag: "cut")
      guard change != .register else { return first }
      let user = try #require(try await first.make(on: peer).userID)
      func call(_ method: String, _ members: String, _ step: Int = 1) -> KeyedCall {
        KeyedCall(method, members, person: round, number: 3 * round + step, tag: "cut")
      }
      let reason = #""id":"\#(user)","reason":"asked for""#
      let email = #""user_id":"\#(user)","email":"\#(DaemonTrial.canary).more.\#(round)@example.org""#
      let more =
        #""user_id":"\#(user)","claims":{"provider":"naver","subject":"\#(DaemonTrial.canary)-more-\#(round)"}"#
      switch change {
      case .register, .link: return .signIn(round, by: "linkedin", number: 3 * round + 1, tag: "cut")
      case .challenge: return .signIn(round, by: "naver", number: 3 * round + 1, tag: "cut")
      case .changeEmail:
        return call(
          "signin.resolve",
          #"""
          "provider":"apple","subject":"\#(DaemonTrial.canary)-cut-\#(round)",\#
          "email":"\#(DaemonTrial.canary).new.\#(round)@example.org","email_verified":true
          """#)
      case .update: return call("user.update", #""id":"\#(user)","profile":{"nickname":"\#(DaemonTrial.canary)"}"#)
      case .disable: return call("user.disable", reason)
      case .acknowledge:
        // Each round tells of one more.
        let read = try await peer.call("event.read", #"{"consumer":"cut"}"#)
        return call("event.ack", #""consumer":"cut","cursor":"\#(read.result?["cursor"]?.string ?? "")""#)
      case .enable:
        _ = try await call("user.disable", reason).make(on: peer)
        return call("user.enable", reason, 2)
      case .confirm:
        let asked = try await KeyedCall.signIn(round, by: "naver", number: 3 * round + 1, tag: "cut").make(on: peer)
        let proof = #"{"claims":{"provider":"apple","subject":"\#(DaemonTrial.canary)-cut-\#(round)"}}"#
        return call("link.confirm", #""challenge_id":"\#(try #require(asked.challengeID))","proof":\#(proof)"#, 2)
      case .linkByWord: return call("identity.link", more)
      case .unlink:
        let linked = try await call("identity.link", more).make(on: peer)
        return call(
          "identity.unlink", #""user_id":"\#(user)","identity_id":"\#(try #require(linked.identityID))""#, 2)
      case .addEmail: return call("email.add", email)
      case .verifyEmail:
        let token = try await call("email.add", email).make(on: peer).result?["token"]?.string
        return call("email.verify", #"\#(email),"token":"\#(try #require(token))""#, 2)
      case .removeEmail:
        _ = try await call("email.add", email).make(on: peer)
        return call("email.remove", email, 2)
      case .erase:
        _ = try await call("email.add", email).make(on: peer)
        return call("user.erase", reason, 2)
      }
    }
  }
}
