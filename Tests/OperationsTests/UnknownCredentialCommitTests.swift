import Accounts
import Crypto
import Operations
import TestSupport
import Testing

/// Connections that break while a credential is changed: every change is done once, and none that was done is told as failed.
@Suite(.serialized)
struct UnknownCredentialCommitTests {
  private static let roundCount = 25

  @Test(arguments: CommitCutter.Moment.allCases)
  func `connections cut on either side of COMMIT make no false failure and nothing twice`(
    moment: CommitCutter.Moment
  ) async throws {
    try await TestDaemon.with(Seed.users(1)) { daemon async throws in
      try await CommitCutter.with(daemon.database) { cutter in
        let cut = try await TestDaemon.start(on: daemon.database, through: cutter.settings)
        let trial = try await CredentialTrial(daemon, through: cut)
        for round in 0..<Self.roundCount {
          let place = CredentialPlace(accessGroup: "web", account: ExactText("a\(round)"), service: "s")
          let key = round % 2 == 0 ? ExactText("k\(round)") : nil
          let content = CredentialContent(secret: .of("\(round)"), user: .numbered(1))
          await cutter.cutNext(moment)
          _ = try await trial.change(.add(content), at: place, key: key.map { ExactText("add-\($0)") })
          await cutter.cutNext(moment)
          _ = try await trial.change(
            .update(CredentialContent(secret: nil, label: "x"), clearing: []), at: place,
            key: key.map { ExactText("update-\($0)") })
          await cutter.cutNext(moment)
          _ = try await trial.change(.put(content), at: place, key: key.map { ExactText("put-\($0)") })
          #expect(try await trial.get(place) == "\(round)")
          await cutter.cutNext(moment)
          try await trial.delete(place, reason: .test, key: key.map { ExactText("delete-\($0)") })
          #expect(
            try await trial.history(place) == ["1 add", "2 update", "3 update", "4 delete"], "round \(round)")
        }
        #expect(await cutter.cuts == 4 * Self.roundCount)
        await cut.stop()
      }
      #expect(
        try await daemon.texts(
          """
          select concat_ws(' ', (select count(*) from kith.credentials), (select count(*) from kith.credential_history),
            (select count(*) from kith.audit), (select count(*) from kith.request_keys))
          """) == ["0 100 25 52"])
    }
  }

  @Test func `what happened is answered, whatever others did since`() async throws {
    try await TestDaemon.with { daemon async throws in
      try await CommitCutter.with(daemon.database) { cutter in
        let cut = try await TestDaemon.start(on: daemon.database, through: cutter.settings)
        let far = try await CredentialTrial(daemon, through: cut)
        let near = try await CredentialTrial(daemon)
        try await Interferer.with(daemon) { interferer in
          await cutter.cutNext(.after)
          async let added = far.add("one")
          try await interferer.waitUntil("exists (select from kith.credentials)")
          try await near.delete()
          _ = try await near.add("two")
          #expect(try await added?.version == 1)
        }
        #expect(try await near.get() == "two")
        #expect(try await near.history() == ["1 add", "2 delete", "1 add"])
        await cut.stop()
      }
    }
  }
}
