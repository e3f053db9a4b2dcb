import Accounts
import Operations
import Schema
import Testing
import TestSupport

struct SearchUsersTests {
  private static let people =
    Seed.users(40) + """
      update kith.users set search_name = 'zoë o''brien-lück' where id = '01920000-0000-7000-8000-000000000005';
      update kith.users set search_name = '김 미라' where id = '01920000-0000-7000-8000-000000000006';
      update kith.users set status = 'disabled' where id = '01920000-0000-7000-8000-000000000007';
      update kith.emails set canonical = 'a@example.net', email = 'A@example.net', vouched_by = '{}'
        where user_id = '01920000-0000-7000-8000-000000000008';
      insert into kith.emails (user_id, canonical, email, added_at)
        values ('01920000-0000-7000-8000-000000000009', 'a@example.net', 'a@example.net', now()),
          ('01920000-0000-7000-8000-000000000009', 'b@example.net', 'b@example.net', now());
      insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
        values (2, 'subject-10', '01920000-0000-7000-8000-00000000000b', '01920002-0000-7000-8000-000000000001',
          now(), 'link');
      """

  /// The numbers of the users that a search finds.
  private func hits(
    _ query: ExactText, status: UserStatus? = nil, on daemon: TestDaemon
  ) async throws -> [UInt64] {
    let search = SearchUsers(reads: daemon.reads)
    return try await daemon.run { () async throws in
      try await search.search(query, status: status, page: try PageRequest(limit: 100)).items.map {
        $0.user.unique.low & 0xFFFF
      }
    }
  }

  @Test func `each form of a query finds what it should`() async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      let everybody = Array(UInt64(1)...40)
      let expected: [(ExactText, [UInt64])] = [
        ("01920000-0000-7000-8000-00000000000c", [12]), ("01920000-0000-7000-8000-00000000001", Array(16...31)),
        ("0192", everybody), ("0193", []), ("019", []), ("MIRA4@Example.ORG", [4]), (" mira4@example.org ", [4]),
        ("A@example.net", [8, 9]), ("@example.net", [8, 9]), ("EXAMPLE.net", [8, 9]), ("@example.com", []),
        ("subject-10", [10, 11]), ("SUBJECT-10", []), ("Zo\u{EB}", [5]), ("zoe\u{308}", [5]), ("ZOË O'B", [5]),
        ("lück", [5]), ("bri zo", [5]), ("oë", []), ("김", [6]), ("김 미", [6]), ("mira no12", [12]),
        ("no12 mira", [12]), ("no1 zoë", []),
      ]
      for (query, numbers) in expected {
        #expect(try await hits(query, on: daemon) == numbers, "\(query)")
      }
    }
  }

  /// As providers tell them, each with what is typed by people who look for that person.
  private static let called: [(name: PersonName, queries: [ExactText])] = [
    (PersonName(given: "민지", family: "김"), ["김민지", "민지", "김 민지", "민지 김"]),
    (PersonName(full: "이서연"), ["이서연", "서연", "이 서연"]), (PersonName(full: "박 지훈"), ["박지훈", "지훈", "지훈 박"]),
    (PersonName(given: "Haneul", full: "정하늘"), ["정하늘", "하늘", "haneul", "HANEUL"]),
    (PersonName(full: "남궁민수"), ["남궁민수", "민수", "남궁"]), (PersonName(given: "太郎", family: "山田"), ["山田太郎", "太郎"]),
    (PersonName(given: "Mimi", family: "Holm", full: "Maria Berg"), ["mimi", "holm", "Maria Berg"]),
  ]

  @Test func `people are found as they are called, also those who were there before`() async throws {
    let before = Self.called.enumerated().map { number, person in
      let parts = [("given", person.name.given), ("family", person.name.family), ("full", person.name.full)]
      let name = parts.compactMap { part, value in value.map { "'\(part)', '\($0)'" } }.joined(separator: ", ")
      let own =
        person.name.full?.string
        ?? [person.name.given, person.name.family].compactMap { $0?.string }.joined(separator: " ")
      return """
        update kith.users set search_name = lower('\(own)'),
          profile = json_build_object('name', json_build_object(\(name)))
        where id = '01920000-0000-7000-8000-00000000000\(number + 1)';
        """
    }
    try await TestDaemon.with(Seed.users(9) + before.joined()) { daemon async throws in
      let migration = try #require(Schema.migrations.first { $0.script.name == "names" }?.script.text)
      // Twice, because it is not to add to what is there.
      for _ in 0..<2 { try await daemon.database.script(migration, as: .superuser) }
      let stored = try await daemon.texts("select search_name from kith.users order by id")
      for (number, person) in Self.called.enumerated() {
        for query in person.queries {
          #expect(try await hits(query, on: daemon).contains(UInt64(number + 1)), "\(query)")
        }
        let words = { (text: String) in Set(text.split(whereSeparator: \.isWhitespace).map { ExactText(String($0)) }) }
        #expect(words(stored[number]) == words(Profile(name: person.name).searchName?.string ?? "-"))
      }
    }
  }

  @Test func `a status narrows every form`() async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      for query in ["0192", "mira", "example.org", "mira7@example.org", "subject-7"] as [ExactText] {
        #expect(try await hits(query, status: .disabled, on: daemon) == [7], "\(query)")
        #expect(try await !hits(query, status: .active, on: daemon).contains(7), "\(query)")
        #expect(try await hits(query, status: .merged, on: daemon) == [], "\(query)")
      }
    }
  }

  @Test func `hits come page by page in the order of the ids, each once`() async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      let search = SearchUsers(reads: daemon.reads)
      try await daemon.run { () async throws in
        for (query, count) in [("0192", 40), ("mira", 38), ("example.org", 39)] as [(ExactText, Int)] {
          var found: [UserID] = []
          var next: ExactText?
          repeat {
            let page = try await search.search(query, page: try PageRequest(after: next, limit: 7))
            #expect(page.items.count <= 7)
            found += page.items.map(\.user)
            next = page.next
          } while next != nil
          #expect(found.count == count)
          #expect(found == Array(Set(found)).sorted())
        }
      }
    }
  }

  @Test func `what is asked for comes along with each hit`() async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      let search = SearchUsers(reads: daemon.reads)
      try await daemon.run { () async throws in
        let page = try await search.search(
          "example.net", page: try PageRequest(limit: 9), include: Set(UserPart.allCases))
        #expect(page.items.map { $0.details?.emails?.count } == [1, 3])
        #expect(page.items.map { $0.details?.identities?.map(\.subject) } == [["subject-8"], ["subject-9"]])
        #expect(page.items.map { $0.details?.profile?.name.full } == ["Mira No8", "Mira No9"])
        #expect(
          try await search.search("nobody at all", page: try PageRequest(limit: 9), include: [.emails]).items.isEmpty)
      }
    }
  }

  @Test func `a name is found beyond the users who are looked at first`() async throws {
    let late = "update kith.users set search_name = 'zoë ' || id where id > '01920000-0000-7000-8000-000000001770';"
    try await TestDaemon.with(Seed.users(6010) + late) { daemon async throws in
      let search = SearchUsers(reads: daemon.reads)
      try await daemon.run { () async throws in
        let first = try await search.search("zoë", page: try PageRequest(limit: 6))
        #expect(first.items.map { $0.user.unique.low & 0xFFFF } == Array(6001...6006))
        let rest = try await search.search("zoë", page: try PageRequest(after: first.next, limit: 6))
        #expect(rest.items.map { $0.user.unique.low & 0xFFFF } == Array(6007...6010))
        #expect(rest.next == nil)
      }
    }
  }

  @Test func `no text makes a search fail`() async throws {
    try await TestDaemon.with(Self.people) { daemon async throws in
      let texts = [
        "'", "''", "\\", "\\'", "':*", "a:*", "a & b", "a | !b", "(", ")", "<->", "a <-> b", ":", "!", "&", "|", "*",
        "%",
        "_", "$1", "E'\\'", "'; drop table kith.users; --", "\0", "a\0b", "", " ", "\t\n", "@", "@@", "@.", ".", "..",
        "-", "----", "0000----", "xn--", "@xn--", "\u{FFFF}", "\u{202E}abc", "👩‍👩‍👧", "http://example.org/a?b=c",
        "/etc/passwd",
        "1e400", "-1", "mira\\", "mira'", "\u{1D400}", String(repeating: "é ", count: 500),
        String(repeating: "a", count: 3000), String(repeating: "'\\", count: 160),
      ]
      for text in texts { _ = try await hits(ExactText(text), on: daemon) }
      #expect(try await hits("mira'", on: daemon).count == 38)
    }
  }

  @Test(.enabled(if: Vectors.has("blns"), Comment(rawValue: Vectors.absence)))
  func `no naughty string makes a search fail`() async throws {
    let lines = String(decoding: try Vectors.bytes("blns/blns.txt"), as: UTF8.self).unicodeScalars.split(
      separator: "\n")
    #expect(lines.count >= 500)
    try await TestDaemon.with(Self.people) { daemon async throws in
      for line in lines { _ = try await hits(ExactText(String(line)), on: daemon) }
    }
  }
}
