import Accounts
import Operations
import Testing

struct ListTests {
  /// User 1 with 25 more identities and addresses.
  private static let many =
    Seed.users(3) + """
      insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
        select 2, 'more-' || n, '01920000-0000-7000-8000-000000000001',
          ('01920002-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), 'link'
        from generate_series(1, 25) n;
      insert into kith.emails (user_id, canonical, email, added_at)
        select '01920000-0000-7000-8000-000000000001', n || '@example.net', n || '@example.net', now()
        from generate_series(1, 25) n;
      """

  /// Reads a whole list page by page.
  private static func all<Item, Key>(
    _ page: (PageRequest<Key>) async throws -> ListPage<Item>
  ) async throws -> (items: [Item], pages: Int) {
    var items: [Item] = []
    var next: ExactText?
    var pages = 0
    repeat {
      let part = try await page(try PageRequest(after: next, limit: 4))
      items += part.items
      next = part.next
      pages += 1
    } while next != nil
    return (items, pages)
  }

  @Test func `identities come page by page, the oldest first, each once`() async throws {
    try await TestDaemon.with(Self.many) { daemon async throws in
      let list = ListUserIdentities(reads: daemon.reads)
      try await daemon.run { () async throws in
        let (items, pages) = try await Self.all { try await list.list(of: .numbered(1), page: $0) }
        #expect(items.count == 26 && pages == 7)
        #expect(items.map(\.identity) == items.map(\.identity).sorted())
        #expect(Set(items.map(\.identity)).count == 26)
        let exact = try await list.list(of: .numbered(1), page: try PageRequest(limit: 26))
        #expect(exact.items.count == 26 && exact.next == nil)
      }
    }
  }

  @Test func `addresses come page by page, each once`() async throws {
    try await TestDaemon.with(Self.many) { daemon async throws in
      let list = ListUserEmails(reads: daemon.reads)
      try await daemon.run { () async throws in
        let (items, pages) = try await Self.all { try await list.list(of: .numbered(1), page: $0) }
        #expect(items.count == 26 && pages == 7)
        #expect(items.map(\.canonical) == items.map(\.canonical).sorted())
        #expect(items.last?.verified == true && items.last?.vouchers.count == 1)
      }
    }
  }

  @Test func `a former id lists what the survivor has; erased and unknown are refused`() async throws {
    try await TestDaemon.with(Seed.users(3) + Seed.mergedAndErased) { daemon async throws in
      let identities = ListUserIdentities(reads: daemon.reads)
      let emails = ListUserEmails(reads: daemon.reads)
      try await daemon.run { () async throws in
        #expect(
          try await identities.list(of: .numbered(2), page: try PageRequest(limit: 9)).items.map(\.subject) == [
            "subject-1"
          ])
        #expect(
          try await emails.list(of: .numbered(2), page: try PageRequest(limit: 9)).items.map(\.canonical) == [
            "mira1@example.org"
          ])
        for (user, expected) in [(UserID.numbered(3), Refusal.userErased), (.numbered(9), .notFound)] {
          await expect(expected) { try await identities.list(of: user, page: try PageRequest(limit: 9)) }
          await expect(expected) { try await emails.list(of: user, page: try PageRequest(limit: 9)) }
        }
      }
    }
  }

  @Test func `a place that no page ended with is refused`() {
    for text in ["", "x", "01920000", "Mira@example.org", "'; drop table"] as [ExactText] {
      #expect(throws: PageRequest<UserID>.InvalidPlace.self) { try PageRequest<UserID>(after: text, limit: 1) }
      #expect(throws: PageRequest<IdentityID>.InvalidPlace.self) { try PageRequest<IdentityID>(after: text, limit: 1) }
      #expect(throws: PageRequest<EmailAddress>.InvalidPlace.self) {
        try PageRequest<EmailAddress>(after: text, limit: 1)
      }
    }
  }
}
