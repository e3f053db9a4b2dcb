import Accounts
import Operations
import Store
import TestSupport
import Testing
import Vault

/// Changes of identities and addresses that wait for somebody who is merged meanwhile: they lead to the survivor.
struct MovedMeanwhileTests {
  /// What a former id is given for.
  enum Change: CaseIterable, Sendable {
    case add, remove, unlink
  }

  /// User 2 has another identity and a claim beside what all have; both go to user 1 in the merge.
  private static let people =
    Seed.users(2) + """
      insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
        values (2, 'second', '01920000-0000-7000-8000-000000000002', '01920001-0000-7000-8000-0000000000ff', now(), 'link');
      insert into kith.emails (user_id, canonical, email, added_at)
        values ('01920000-0000-7000-8000-000000000002', 'claimed@example.org', 'claimed@example.org', now());
      """

  private static let merge = """
    begin;
    update kith.emails set user_id = '01920000-0000-7000-8000-000000000001'
      where user_id = '01920000-0000-7000-8000-000000000002';
    update kith.identities set user_id = '01920000-0000-7000-8000-000000000001'
      where user_id = '01920000-0000-7000-8000-000000000002';
    update kith.users set status = 'merged', merged_into = '01920000-0000-7000-8000-000000000001'
      where id = '01920000-0000-7000-8000-000000000002';
    """

  @Test(arguments: Change.allCases)
  func `what waits for a merge is done to the survivor`(change: Change) async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      try await Interferer.with(daemon) { interferer in
        try await interferer.script(Self.merge)
        async let waiting: Void = make(change, on: daemon)
        try await interferer.waitUntilDaemonWaitsForLock()
        try await interferer.script("commit")
        try await waiting
      }
      let expected =
        switch change {
        case .add: "new@example.org"
        case .remove: "claimed@example.org"
        case .unlink: "second"
        }
      #expect(
        try await daemon.texts(
          """
          select t.canonical from kith.email_tokens t where t.user_id = '01920000-0000-7000-8000-000000000001'
          union all
          select r.canonical from kith.removed_emails r where r.user_id = '01920000-0000-7000-8000-000000000001'
          union all
          select k.subject from kith.unlinked k where k.user_id = '01920000-0000-7000-8000-000000000001'
          """) == [expected])
    }
  }

  private func make(_ change: Change, on daemon: TestDaemon) async throws {
    let user = UserID.numbered(2)
    let sealer = SharedSealer(
      try KeyRing(TestKeys.keyset(), random: .system), databaseID: UniqueID(high: 1, low: 1))
    let emails = ChangeUserEmails(writes: daemon.writes, sealer: sealer, circumstances: daemon.circumstances)
    let unlink = UnlinkUserIdentity(writes: daemon.writes, circumstances: daemon.circumstances)
    try await daemon.run { () async throws in
      switch change {
      case .add:
        let place = ChangeUserEmails.Place(user: user, email: try EmailAddress("new@example.org"))
        _ = try await emails.add(place, call: .test())
      case .remove:
        let place = ChangeUserEmails.Place(user: user, email: try EmailAddress("claimed@example.org"))
        _ = try await emails.remove(place, reason: nil, call: .test())
      case .unlink:
        let identity = IdentityID(UniqueID(high: 0x0192_0001_0000_7000, low: 0x8000_0000_0000_00FF))
        _ = try await unlink.unlink(
          .init(user: user, identity: identity, reason: nil, call: .test()) { _ in true })
      }
    }
  }
}

extension ChangeCall {
  /// A call by a tester under no key.
  fileprivate static func test() -> ChangeCall {
    ChangeCall(caller: .tester, peerUID: 4711, requestKey: nil, encode: { _ in [] })
  }
}
