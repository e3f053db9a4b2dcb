import Accounts
import Operations
import Store
import Testing

struct FindUserTests {
  private func key(_ subject: String) throws -> StoredKey {
    StoredKey(namespace: 1, subject: try #require(Subject(subject)))
  }

  @Test func `a user is found by id, by identity and by a verified address`() async throws {
    try await TestDaemon.with(Seed.users(3)) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      let key = try key("subject-2")
      let email = try EmailAddress("MIRA2@example.org")
      try await daemon.run { () async throws in
        for selector in [FindUser.Selector.id(.numbered(2)), .identity(key), .email(email)] {
          let found = try await find.find(selector, include: [])
          #expect(found.user.user == .numbered(2))
          #expect(found.user.status == .active)
          #expect(found.user.details == nil)
          #expect(found.requestedID == nil)
        }
      }
    }
  }

  @Test func `what is asked for comes along, and nothing else`() async throws {
    try await TestDaemon.with(Seed.users(3)) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      let email = try EmailAddress("mira3@example.org")
      try await daemon.run { () async throws in
        for selector in [FindUser.Selector.id(.numbered(3)), .email(email)] {
          let all = try #require(try await find.find(selector, include: Set(UserPart.allCases)).user.details)
          #expect(all.profile?.name.full == "Mira No3")
          #expect(all.emails?.map(\.email) == ["Mira3@example.org"])
          #expect(all.identities?.map(\.subject) == ["subject-3"])
          let some = try #require(try await find.find(selector, include: [.emails]).user.details)
          #expect(some.profile == nil && some.identities == nil && some.emails?.count == 1)
        }
      }
    }
  }

  @Test func `what is told of a user is of one moment`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      let selectors = [FindUser.Selector.id(.numbered(1)), .email(try EmailAddress("mira2@example.org"))]
      try await Interferer.with(daemon) { interferer in
        for (number, selector) in zip(1..., selectors) {
          // The identities are read last, and by then there are none.
          try await interferer.script("begin; lock table kith.identities in access exclusive mode")
          async let reading = daemon.run { try await find.find(selector, include: [.emails, .identities]) }
          try await interferer.waitUntilDaemonWaitsForLock()
          try await interferer.script(
            """
            delete from kith.emails where canonical = 'mira\(number)@example.org';
            delete from kith.identities where subject = 'subject-\(number)';
            commit
            """)
          let details = try #require(try await reading.user.details)
          #expect(details.emails?.count == 1)
          #expect(details.identities?.count == 1)
        }
      }
    }
  }

  @Test func `the id of a merged user leads to the survivor and is told`() async throws {
    try await TestDaemon.with(Seed.users(3) + Seed.mergedAndErased) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      try await daemon.run { () async throws in
        let found = try await find.find(.id(.numbered(2)), include: [.identities])
        #expect(found.user.user == .numbered(1))
        #expect(found.user.status == .active)
        #expect(found.requestedID == .numbered(2))
        #expect(found.user.details?.identities?.map(\.subject) == ["subject-1"])
      }
    }
  }

  @Test func `erased and unknown users are refused, each in its way`() async throws {
    try await TestDaemon.with(Seed.users(3) + Seed.mergedAndErased) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      let key = try key("subject-3")
      let email = try EmailAddress("mira3@example.org")
      try await daemon.run { () async throws in
        await expect(.userErased) { try await find.find(.id(.numbered(3)), include: []) }
        await expect(.notFound) { try await find.find(.id(.numbered(9)), include: []) }
        await expect(.notFound) { try await find.find(.identity(key), include: []) }
        await expect(.notFound) { try await find.find(.email(email), include: []) }
      }
    }
  }

  @Test func `a merely claimed address finds nobody`() async throws {
    let claim = "update kith.emails set vouched_by = '{}';"
    try await TestDaemon.with(Seed.users(1) + claim) { daemon async throws in
      let find = FindUser(reads: daemon.reads)
      let email = try EmailAddress("mira1@example.org")
      try await daemon.run { () async throws in
        await expect(.notFound) { try await find.find(.email(email), include: []) }
      }
    }
  }

  @Test func `an identity is found by its id and by its key`() async throws {
    try await TestDaemon.with(Seed.users(2)) { daemon async throws in
      let find = FindIdentity(reads: daemon.reads)
      let known = try key("subject-2")
      let unknown = try key("Subject-2")
      let id = try #require(IdentityID("01920001-0000-7000-8000-000000000002"))
      let strange = try #require(IdentityID("01920001-0000-7000-8000-00000000ffff"))
      try await daemon.run { () async throws in
        #expect(try await find.find(.id(id)).subject == "subject-2")
        let identity = try await find.find(.key(known))
        #expect(identity.identity == id)
        #expect(identity.user == .numbered(2))
        #expect(identity.provider == "apple" && identity.tenant == "TEAM")
        await expect(.notFound) { try await find.find(.id(strange)) }
        await expect(.notFound) { try await find.find(.key(unknown)) }
      }
    }
  }
}
