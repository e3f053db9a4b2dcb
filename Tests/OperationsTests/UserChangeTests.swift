import Accounts
import Operations
import Testing

struct UserChangeTests {
  private static let peopleAndMarks = Seed.users(5) + Seed.mergedAndErased

  private func status(
    _ user: UserID, _ target: SetUserStatus.Target, on daemon: TestDaemon
  ) async throws -> UserRecord? {
    let set = SetUserStatus(writes: daemon.writes, circumstances: daemon.circumstances)
    return try await daemon.run { () async throws in
      try await set.set(.init(user: user, target: target, reason: .test, call: .test(method: "user.disable"))).new
    }
  }

  private func update(
    _ user: UserID, _ profile: Profile, clear: Set<ProfilePart> = [], on daemon: TestDaemon
  ) async throws -> UserRecord? {
    let update = UpdateUser(writes: daemon.writes, circumstances: daemon.circumstances)
    return try await daemon.run { () async throws in
      try await update.update(
        .init(user: user, profile: profile, clear: clear, call: .test(method: "user.update"))
      ).new
    }
  }

  @Test func `disabling and enabling is written, told and audited once`() async throws {
    try await TestDaemon.with(Self.peopleAndMarks) { daemon async throws in
      for _ in 0..<2 { #expect(try await status(.numbered(4), .disabled, on: daemon)?.status == .disabled) }
      #expect(
        try await daemon.texts(
          "select concat_ws(' ', status, epoch, disabled_reason) from kith.users where id::text like '%4'") == [
            "disabled 1 asked for by Mira"
          ])
      #expect(
        try await daemon.texts("select user_status from kith.identities where subject = 'subject-4'") == ["disabled"])
      for _ in 0..<2 { #expect(try await status(.numbered(4), .active, on: daemon)?.status == .active) }
      #expect(
        try await daemon.texts(
          "select concat_ws(' ', status, epoch, disabled_reason) from kith.users where id::text like '%4'") == [
            "active 1"
          ])
      #expect(try await daemon.texts("select type from kith.events order by seq") == ["user.disabled", "user.enabled"])
      #expect(
        try await daemon.texts(
          "select concat_ws(' ', caller, peer_uid, action, reason, data) from kith.audit order by seq")
          == ["tester 4711 user.disable asked for by Mira {}", "tester 4711 user.enable asked for by Mira {}"])
      #expect(try await daemon.texts("select ok::text from kith.verify_audit()") == ["true"])
    }
  }

  @Test func `an update replaces what is given, removes what is named and keeps the rest`() async throws {
    try await TestDaemon.with(Self.peopleAndMarks) { daemon async throws in
      let given = Profile(name: PersonName(given: "Zoë"), nickname: "zo", locale: "de")
      #expect(try await update(.numbered(4), given, on: daemon)?.details?.profile == given)
      let second = Profile(picture: "https://example.org/zo.png")
      let expected = Profile(name: PersonName(given: "Zoë"), picture: "https://example.org/zo.png", locale: "de")
      for _ in 0..<2 {
        let answer = try await update(.numbered(4), second, clear: [.nickname], on: daemon)
        #expect(answer?.details?.profile == expected)
      }
      #expect(try await daemon.texts("select search_name from kith.users where id::text like '%4'") == ["zoë"])
      #expect(try await daemon.texts("select type from kith.events order by seq") == ["user.updated", "user.updated"])
      #expect(
        try await daemon.texts("select concat_ws(' ', action, data) from kith.audit order by seq") == [
          #"user.update {"changed":["name","nickname","locale"]}"#, #"user.update {"changed":["nickname","picture"]}"#,
        ])
    }
  }

  @Test func `a former id changes the survivor, and a disabled user may be updated`() async throws {
    try await TestDaemon.with(Self.peopleAndMarks) { daemon async throws in
      let disabled = try await status(.numbered(2), .disabled, on: daemon)
      #expect(disabled?.user == .numbered(1) && disabled?.status == .disabled)
      let updated = try await update(.numbered(2), Profile(nickname: "mi"), on: daemon)
      #expect(updated?.user == .numbered(1) && updated?.status == .disabled)
      #expect(
        try await daemon.texts("select status from kith.users order by id") == [
          "disabled", "merged", "erased", "active", "active",
        ])
    }
  }

  @Test func `erased and unknown users cannot be changed`() async throws {
    try await TestDaemon.with(Self.peopleAndMarks) { daemon async throws in
      for (user, expected) in [(UserID.numbered(3), Refusal.userErased), (.numbered(9), .notFound)] {
        await expect(expected) { try await status(user, .disabled, on: daemon) }
        await expect(expected) { try await update(user, Profile(nickname: "mi"), on: daemon) }
      }
      #expect(try await daemon.count("select count(*)::text from kith.audit") == 0)
    }
  }

  @Test func `a user who is merged while a change waits for them leads to the survivor`() async throws {
    try await TestDaemon.with(Seed.users(5)) { daemon async throws in
      try await Interferer.with(daemon) { interferer in
        try await interferer.script(
          """
          begin; delete from kith.emails where user_id = '01920000-0000-7000-8000-000000000002';
          delete from kith.identities where user_id = '01920000-0000-7000-8000-000000000002';
          update kith.users set status = 'merged', merged_into = '01920000-0000-7000-8000-000000000001'
            where id = '01920000-0000-7000-8000-000000000002'
          """)
        async let waiting = status(.numbered(2), .disabled, on: daemon)
        try await interferer.waitUntilDaemonWaitsForLock()
        try await interferer.script("commit")
        #expect(try await waiting?.user == .numbered(1))
      }
      #expect(try await daemon.count("select count(*)::text from kith.audit") == 1)
    }
  }

  /// Whoever waits at a row keeps its page from being cleared of the versions that are over.
  @Test func `whoever waits for the end of the trail waits beside it`() async throws {
    try await TestDaemon.with(Seed.users(1)) { daemon async throws in
      try await Interferer.with(daemon) { interferer in
        try await interferer.script(
          "begin; select kith.append_audit('somebody', 0, 'user.disable', null, null, '{}'::json)")
        async let waiting = status(.numbered(1), .disabled, on: daemon)
        try await interferer.waitUntilDaemonWaitsForLock()
        #expect(
          try await daemon.texts(
            """
            select distinct wait_event from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            """) == ["advisory"])
        try await interferer.script("commit")
        #expect(try await waiting?.status == .disabled)
      }
      #expect(try await daemon.texts("select concat_ws(' ', ok, checked) from kith.verify_audit()") == ["t 2"])
    }
  }
}

extension Answer {
  var new: Result? { if case .new(let result) = self { result } else { nil } }
  var kept: String? { if case .kept(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}
