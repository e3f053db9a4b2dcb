import Foundation
import TestSupport
import Testing

extension FaultTests {
  /// Of an erased person nothing is left, wherever it was.
  @Suite
  struct ErasedPeopleTests {
    private static let canariesMin = 50

    @Test func `of an erased person nothing is left in the database, the spool or the journal`() async throws {
      let (traces, others) = (SecretTraces(), SecretTraces("otherxx"))
      try await TestDatabase.with { database in
        try await TestPooler.with(database) { pooler in
          try await DaemonTrial.with(database: pooler.conninfo()) { trial in
            var trial = trial
            trial.more = #"database_pooler: "transaction","#
            try await trial.withDaemon { daemon in
              let peer = try trial.connect()
              defer { peer.close() }
              var (life, other) = (CanaryLife(mark: traces.mark), CanaryLife(mark: others.mark))
              let neighbour = try await other.live(on: peer)
              let user = try await life.live(on: peer)
              let late = try await signInWhileAway(traces, pooler, on: peer)
              try await merge(user, late, on: peer)
              #expect(try await peer.call("user.export", #"{"id":"\#(user)"}"#).text.contains("\(traces.mark)-last"))

              let before = try await dump(database)
              #expect(life.said.count >= Self.canariesMin)
              #expect(life.said.subtracting(words(of: before)) == [])
              let stays = try await export(neighbour, on: peer)
              #expect(try await peer.call("user.erase", #"{"id":"\#(user)","reason":"asked for"}"#).reason == nil)

              let after = try await dump(database)
              #expect(traces.forms(in: after) == [], "\(life.said.intersection(words(of: after)))")
              #expect(other.said.subtracting(words(of: after)) == [])
              #expect(try await export(neighbour, on: peer) == stays)
              #expect(try traces.files(under: trial.folder) == [])
              let spool = try FileManager.default.contentsOfDirectory(atPath: "\(trial.state)/spool")
              #expect(spool.filter { $0.hasSuffix(".entries") || $0.hasSuffix(".invalid") } == [])
              #expect(traces.forms(in: try await daemon.said().map(\.text).joined(separator: "\n")) == [])
              #expect(traces.forms(in: try await peer.call("server.metrics").text) == [])
              try await comesBack(traces, user, on: peer)
            }
          }
          try await database.expectConsistency()
        }
      }
    }

    /// Somebody whose details are in the spool until the database is back.
    private func signInWhileAway(
      _ traces: SecretTraces, _ pooler: TestPooler, on peer: TestPeer
    ) async throws -> String {
      let call = SignInCall(
        "apple", "\(traces.mark)-late", "\(traces.mark)-late@example.org", verified: true,
        #""nickname":"\#(traces.mark)-latenick""#)
      try await pooler.kill()
      let away = try await peer.call("signin.resolve", call.json)
      #expect(away.error?["data"]?["kept"]?.bool == true, "\(away.text)")
      try await pooler.start()
      while try await peer.call("server.status").result?["spool"]?["entries"]?.integer != 0 {}
      let back = try await peer.signIn("apple", call.subject)
      #expect(back.result?["resumed"]?.bool == true, "\(back.text)")
      return try #require(back.userID)
    }

    private func merge(_ survivor: String, _ absorbed: String, on peer: TestPeer) async throws {
      let plan = try await peer.call(
        "merge.plan", #"{"users":["\#(survivor)","\#(absorbed)"],"survivor":"\#(survivor)"}"#)
      let merged = try await peer.call(
        "merge.run", #"{"plan_token":"\#(plan.result?["plan_token"]?.string ?? "")","reason":"one person"}"#)
      #expect(merged.reason == nil, "\(merged.text)")
    }

    /// Who signs in with an identity that was released is somebody new, of whom nothing is known.
    private func comesBack(_ traces: SecretTraces, _ former: String, on peer: TestPeer) async throws {
      let back = try await peer.signIn(
        "apple", "\(traces.mark)-ap", nil, #""include":["profile","emails","identities"]"#)
      #expect(back.outcome == "registered" && back.userID != former, "\(back.text)")
      let user = back.result?["user"]
      #expect(user?["emails"]?.elements.isEmpty == true && user?["identities"]?.elements.count == 1)
      #expect(user?["profile"]?["nickname"] == nil && user?["profile"]?["name"] == nil)
    }

    /// What is held about somebody, without the number of the request, and without times that are written later.
    private func export(_ user: String, on peer: TestPeer) async throws -> String {
      let text = try await peer.call("user.export", #"{"id":"\#(user)"}"#).text
      let start = try #require(text.range(of: #"{"export":"#)?.lowerBound, "\(text)")
      return String(text[start...]).replacing(/"(request_id|last_sign_in_at)":"[^"]*"/, with: "")
    }

    /// What stands between spaces, quotes, slashes and the like.
    private func words(of text: String) -> Set<String> {
      let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-@.".utf8)
      return Set(text.utf8.split { !letters.contains($0) }.compactMap { String($0) })
    }

    private func dump(_ database: TestDatabase) async throws -> String {
      let dump = try await DaemonProcess.start(
        program: "/usr/bin/pg_dump",
        ["--dbname", database.conninfo(for: .superuser), "--data-only", "--inserts"])
      #expect(try await dump.exit() == .exited(0))
      return try await dump.said().map(\.text).joined(separator: "\n")
    }
  }
}
