import Accounts
import Operations
import Testing

struct RequestKeyTests {
  private func disable(
    _ user: UserID, key: ExactText, parameters: UInt8 = 0, on daemon: TestDaemon
  ) async throws -> Answer<UserRecord> {
    let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
    return try await daemon.run { () async throws in
      try await set.set(
        .init(
          user: user, target: .disabled, reason: .test,
          call: .test(method: "user.disable", key: key, parameters: parameters)))
    }
  }

  @Test func `a repeat gets the same bytes, also when things have changed since`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      let first = try await disable(.numbered(1), key: "k", on: daemon).kept
      #expect(first == #"{"user":"01920000-0000-7000-8000-000000000001 disabled"}"#)
      let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
      _ = try await daemon.run { () async throws in
        try await set.set(
          .init(user: .numbered(1), target: .active, reason: .test, call: .test(method: "user.enable", key: "k")))
      }
      #expect(try await disable(.numbered(1), key: "k", on: daemon).kept == first)
      #expect(try await daemon.texts("select type from kith.events order by seq") == ["user.disabled", "user.enabled"])
      #expect(try await daemon.texts("select status from kith.users order by id limit 1") == ["active"])
    }
  }

  @Test func `a key with other parameters is refused, and keeps nothing when nothing changed`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      _ = try await disable(.numbered(1), key: "k", on: daemon)
      await expect(.requestKeyReused) { try await disable(.numbered(2), key: "k", parameters: 1, on: daemon) }
      #expect(try await disable(.numbered(1), key: "unchanged", on: daemon).new?.status == .disabled)
      #expect(try await daemon.texts("select key from kith.request_keys") == ["k"])
      await expect(.notFound) { try await disable(.numbered(9), key: "failed", on: daemon) }
      #expect(try await daemon.count("select count(*)::text from kith.request_keys") == 1)
    }
  }

  @Test func `a call whose key is in use is told that it is in progress`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      try await Interferer.with(daemon) { interferer in
        try await interferer.script(
          "begin; select from kith.users where id = '01920000-0000-7000-8000-000000000001' for update")
        async let first = disable(.numbered(1), key: "k", on: daemon)
        try await interferer.waitUntilDaemonWaitsForLock()
        await expect(.inProgress) { try await disable(.numbered(1), key: "k", on: daemon) }
        try await interferer.script("commit")
        #expect(try await first.kept == disable(.numbered(1), key: "k", on: daemon).kept)
      }
    }
  }

  @Test func `of many at once on two daemons one changes, and all who are answered get its answer`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      let other = try await TestDaemon.start(on: daemon.database)
      let answers = await withTaskGroup(of: String.self) { group in
        for number in 0..<32 {
          let daemon = number % 2 == 0 ? daemon : other
          group.addTask {
            do {
              return try await disable(.numbered(1), key: "k", on: daemon).kept ?? "new"
            } catch OperationError.refused(let refusal) {
              return refusal.rawValue
            } catch {
              return "\(error)"
            }
          }
        }
        return await group.reduce(into: [String: Int]()) { counts, answer in counts[answer, default: 0] += 1 }
      }
      await other.stop()
      let answer = #"{"user":"01920000-0000-7000-8000-000000000001 disabled"}"#
      #expect(answers[answer, default: 0] >= 1)
      #expect(answers[answer, default: 0] + answers["in_progress", default: 0] == 32, "\(answers)")
      #expect(
        try await daemon.texts(
          """
          select concat_ws(' ', (select count(*) from kith.events), (select count(*) from kith.audit),
            (select count(*) from kith.request_keys), (select epoch from kith.users order by id limit 1))
          """) == ["1 1 1 1"])
    }
  }

  @Test func `of many at once without a key one changes, and all get the same answer`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      let other = try await TestDaemon.start(on: daemon.database)
      try await withThrowingTaskGroup(of: UserStatus?.self) { group in
        for number in 0..<32 {
          let daemon = number % 2 == 0 ? daemon : other
          group.addTask {
            let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
            return try await daemon.run { () async throws in
              try await set.set(
                .init(user: .numbered(1), target: .disabled, reason: .test, call: .test(method: "user.disable"))
              ).new?.status
            }
          }
        }
        for try await status in group { #expect(status == .disabled) }
      }
      await other.stop()
      #expect(
        try await daemon.texts(
          "select concat_ws(' ', (select count(*) from kith.events), (select count(*) from kith.audit))") == ["1 1"])
    }
  }
}
