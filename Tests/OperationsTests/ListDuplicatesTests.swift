import Accounts
import Operations
import Postgres
import Store
import TestSupport
import Testing

struct ListDuplicatesTests {
  /// A person for these tests, written into the database as a sign-in would.
  private struct Person {
    var number: UInt64
    var name: String?
    var birthday: String?
    var verified: [String] = []
    var claimed: [String] = []
  }

  private func add(_ people: [Person], to daemon: TestDaemon) async throws {
    try await daemon.run { () async throws in
      var pipeline = Pipeline()
      pipeline.add(
        InsertUsers.statement,
        people.map { person in
          let details = person.birthday.map { ExactText(#"{"gender":"F","birthday":"\#($0)","birthyear":"1990"}"#) }
          return InsertUsers.Record(
            user: .numbered(person.number),
            profile: Profile(name: PersonName(full: person.name.map { ExactText($0) }), details: details))
        })
      pipeline.add(
        Self.insertEmails,
        people.flatMap { person in
          (person.verified.map { ($0, true) } + person.claimed.map { ($0, false) }).map {
            (UserID.numbered(person.number), ExactText($0.0), $0.1)
          }
        })
      let transaction = try await daemon.writes.begin()
      _ = try await transaction.run(pipeline)
      _ = try await transaction.commit()
    }
  }

  private static let insertEmails = Statement<[(user: UserID, address: ExactText, isVerified: Bool)], Void>(
    "insert_test_emails",
    """
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by_token)
    select e.id, e.address, e.address, now(), e.verified = 't'
    from unnest($1::uuid[], $2::text[], $3::text[]) e (id, address, verified)
    """
  ) { rows, parameters in
    parameters.add(column: { $0.user.unique }, of: rows)
    parameters.add(column: { $0.address }, of: rows)
    parameters.add(column: { ExactText($0.isVerified ? "t" : "f") }, of: rows)
  }

  private struct Listed {
    var pairs: [String] = []
    var scanned = 0
    var crowded = 0
    var total: Int?
    var pages = 0
  }

  /// All pages; pairs as `1-2 reason,reason`.
  private func all(
    on daemon: TestDaemon, limit: Int = 100, scoreMin: Int = 0, between: (Int) async throws -> Void = { _ in }
  ) async throws -> Listed {
    let list = ListDuplicates(reads: daemon.reads)
    var listed = Listed()
    var after: ExactText?
    repeat {
      let place = after
      let page = try await daemon.run { () async throws in
        try await list.list(
          page: try PageRequest(after: place, limit: limit), scoreMin: scoreMin, include: [.profile, .emails])
      }
      #expect(page.pairs.count <= limit)
      listed.pairs += page.pairs.map { pair in
        let codes = pair.reasons.map { "\($0)".prefix { $0 != "(" } }.joined(separator: ",")
        return "\(pair.first.user.unique.low & 0xFFFF_FFFF)-\(pair.second.user.unique.low & 0xFFFF_FFFF) \(codes)"
      }
      listed.scanned += page.scanned
      listed.crowded += page.crowded
      if place == nil { listed.total = page.total }
      listed.pages += 1
      after = page.next
      try await between(listed.pages)
    } while after != nil
    return listed
  }

  private static let relay = "q7@privaterelay.appleid.com"

  @Test func `each reason is found in the database, and each near miss is not`() async throws {
    try await TestDaemon.with { daemon async throws in
      try await add(
        [
          Person(number: 1, name: "Mira Beispiel", verified: ["mira@example.org"]),
          Person(number: 2, claimed: ["mira@example.org"]), Person(number: 3, verified: ["m.i.ra+a@gmail.com"]),
          Person(number: 4, verified: ["mira@googlemail.com"]), Person(number: 5, claimed: ["mira+b@gmail.com"]),
          Person(number: 6, verified: ["m.ira@example.org"]),
          Person(number: 7, name: "Noor Okafor", verified: [Self.relay]),
          Person(number: 8, name: "OKAFOR Noor", verified: ["noor@example.org"]),
          Person(number: 9, name: "Noor Okafor", verified: ["r@privaterelay.appleid.com"]),
          Person(number: 10, name: "김하늘", birthday: "10-01"), Person(number: 11, name: "김 하늘", birthday: "10-01"),
          Person(number: 12, name: "김하늘", birthday: "10-02"), Person(number: 13, name: "Haneul Kim"),
          Person(number: 14, name: "Ha-neul Gim", birthday: "10-01"), Person(number: 15, name: "Haneul Lee"),
          Person(number: 16, name: "Mira Beispiel"), Person(number: 17, name: "Mira", verified: ["x+mira@example.org"]),
          Person(number: 18, verified: ["x@example.org"]),
        ], to: daemon)
      let listed = try await all(on: daemon)
      #expect(
        listed.pairs == [
          "1-2 sameAddress", "3-4 sameMailbox", "3-5 sameMailbox", "4-5 sameMailbox", "17-18 sameMailbox",
          "10-11 sameNameAndBirthday", "10-14 sameNameAndBirthday,sameNameTransliterated",
          "11-14 sameNameAndBirthday,sameNameTransliterated", "7-8 relayAndRealAddress", "8-9 relayAndRealAddress",
          "10-13 sameNameTransliterated", "11-13 sameNameTransliterated", "12-13 sameNameTransliterated",
          "12-14 sameNameTransliterated",
        ])
      // Two claims, four addresses that lead elsewhere, four birthdays and eleven names.
      #expect(listed.scanned == 21 && listed.crowded == 0 && listed.pages == 1)
      try await daemon.database.script("analyze kith.users, kith.emails", as: .superuser)
      // What no pair can come from that is sure enough is not counted either.
      for (scoreMin, entries) in [(0, 21), (80, 10), (97, 6)] {
        let listed = try await all(on: daemon, scoreMin: scoreMin)
        #expect(listed.total == entries && listed.scanned == entries)
      }
    }
  }

  @Test func `a pair comes once, where it is found first, whatever else the two share`() async throws {
    try await TestDaemon.with { daemon async throws in
      let addresses = ["a@example.org", "b@example.org", "c+1@example.org"]
      let both = [
        Person(number: 1, name: "김하늘", birthday: "10-01", verified: addresses),
        Person(number: 2, name: "Haneul Kim", birthday: "10-01", claimed: addresses + ["c+2@example.org"]),
      ]
      let mailboxes = [
        Person(number: 3, verified: ["d+1@example.org", "e+1@example.org"]),
        Person(number: 4, claimed: ["d+2@example.org", "e+2@example.org", "e@example.org"]),
      ]
      try await add(both + mailboxes, to: daemon)
      for limit in [1, 100] {
        #expect(
          try await all(on: daemon, limit: limit).pairs == [
            "1-2 sameAddress,sameNameAndBirthday,sameNameTransliterated", "3-4 sameMailbox",
          ])
      }
    }
  }

  @Test func `merged and erased users are not in it, disabled ones are`() async throws {
    try await TestDaemon.with { daemon async throws in
      try await add(
        (1...4).map { Person(number: UInt64($0), name: $0 % 2 == 0 ? "김하늘" : "Kim Haneul") }, to: daemon)
      try await daemon.database.script(
        """
        update kith.users set status = 'disabled' where id = '01920000-0000-7000-8000-000000000001';
        update kith.users set status = 'merged', merged_into = '01920000-0000-7000-8000-000000000001'
          where id = '01920000-0000-7000-8000-000000000003';
        update kith.users set status = 'erased', profile = '{}', search_name = '', match_name = '', match_birthday = ''
          where id = '01920000-0000-7000-8000-000000000004';
        """, as: .superuser)
      let listed = try await all(on: daemon)
      #expect(listed.pairs == ["1-2 sameNameTransliterated"] && listed.scanned == 2)
    }
  }

  @Test func `what many share is passed over and counted, and the rest is found`() async throws {
    try await TestDaemon.with { daemon async throws in
      var shared: [Person] = []
      for number in 1...900 {
        var person = Person(number: UInt64(number), name: number % 2 == 0 ? "김민준" : "Minjun Kim")
        if number <= 42 { person.birthday = number <= 40 ? "01-01" : "02-03" }
        if number <= 200 { person.claimed = [number <= 100 ? "all@example.org" : "all+\(number)@gmail.com"] }
        shared.append(person)
      }
      let rest = [Person(number: 901, verified: ["n@example.org"]), Person(number: 902, claimed: ["n@example.org"])]
      try await add(shared + rest, to: daemon)
      let listed = try await all(on: daemon)
      // Neither the name of 900 is a reason for those two, nor the address of 100.
      #expect(listed.pairs == ["901-902 sameAddress", "41-42 sameNameAndBirthday"])
      // One address, one mailbox, one name with a birthday, one name.
      #expect(listed.crowded == 4 && listed.scanned == 201 + 100 + 42 + 900 && listed.pages == 1)
    }
  }

  @Test func `twenty who share something are compared, and of twenty-one none`() async throws {
    try await TestDaemon.with { daemon async throws in
      func people(_ first: Int, _ count: Int) -> [Person] {
        (first..<(first + count)).map { number in
          Person(
            number: UInt64(number), name: number % 2 == 0 ? "김\(first == 1 ? "하늘" : "민준")" : nil,
            verified: ["f\(first)+\(number)@example.org"], claimed: ["f\(first)@example.org"])
        }
      }
      try await add(people(1, 20) + people(101, 21), to: daemon)
      let listed = try await all(on: daemon)
      #expect(listed.pairs.count == 190 && listed.pairs.allSatisfy { $0.hasSuffix(" sameAddress,sameMailbox") })
      #expect(listed.crowded == 2)
    }
  }

  @Test func `what thousands share is jumped over, and who shares something beyond the end of a page is found`()
    async throws
  {
    try await TestDaemon.with { daemon async throws in
      // 9,000 claim one address and have one name and birthday; then three each claim one, which no page of 4,000 ends between.
      try await daemon.database.script(
        """
        insert into kith.users (id, profile, search_name, match_name, match_birthday)
        select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{}', 'mira okafor', 'mira okafor', '01-01'
        from generate_series(1, 9000) n;
        insert into kith.emails (user_id, canonical, email, added_at)
        select u.id, 'all@example.org', 'all@example.org', now() from kith.users u;
        insert into kith.users (id, profile)
        select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{}' from generate_series(10001, 14503) n;
        insert into kith.emails (user_id, canonical, email, added_at)
        select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, a.address, a.address, now()
        from generate_series(10001, 14503) n, lateral (select 'f' || (n - 10001) / 3 || '@example.org' as address) a;
        """, as: .superuser)
      let listed = try await all(on: daemon, limit: 1000)
      #expect(listed.pairs.count == 1501 * 3 && Set(listed.pairs).count == listed.pairs.count)
      // Of each of the three that 9,000 share, one page.
      #expect(listed.crowded == 3 && listed.scanned == 3 * 4000 + 4503)
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `pages cover every pair exactly once, while users come`(limit: Int) async throws {
    try await TestDaemon.with { daemon async throws in
      // Families of 1 to 19 who share a mailbox, mixed among the others.
      let people = (0..<210).map { number in
        Person(number: UInt64(2 * number + 2), verified: ["f\(number % 37)+\(number)@example.org"])
      }
      try await add(people, to: daemon)
      let expected = try await all(on: daemon).pairs
      // 25 families of 6, and 12 of 5.
      #expect(expected.count == 25 * 15 + 12 * 10)
      #expect(Set(expected).count == expected.count)
      let listed = try await all(on: daemon, limit: limit) { page in
        guard page % 50 == 1, page < 400 else { return }
        let number = UInt64(page * 2 + 1)
        try await add([Person(number: number, verified: ["new\(number)@example.org"])], to: daemon)
      }
      #expect(listed.pairs == expected)
      #expect(listed.scanned == 210)
    }
  }

  @Test func `more candidates than a page compares go on in the next`() async throws {
    try await TestDaemon.with { daemon async throws in
      let people = (0..<400).map { number in
        Person(number: UInt64(number + 1), verified: ["f\(number / 20)+\(number)@example.org"])
      }
      try await add(people, to: daemon)
      let listed = try await all(on: daemon, limit: 1000)
      #expect(listed.pairs.count == 20 * 190 && Set(listed.pairs).count == listed.pairs.count)
      #expect(listed.scanned == 400 && listed.crowded == 0)
    }
  }

  @Test func `the database takes the same mailboxes for one as Accounts does`() async throws {
    try await TestDaemon.with { daemon async throws in
      let mailbox = Statement<ExactText, ExactText>(
        "mailbox", "select kith.mailbox($1::text)", encode: { text, parameters in parameters.add(text) },
        decode: { row throws(PostgresError) in ExactText(try row.text()) })
      for address in [
        "a@b.example", "a+b@b.example", "+a@b.example", "a+@b.example", "a.b+c.d@gmail.com", "a.b@googlemail.com",
        "+a@gmail.com", ".@gmail.com", "a@gmail.com", "ä+ö@b.example", "a@b+c.example", "a+b+c@b.example",
        "++@gmail.com",
        "a.b@gmail.com.example",
      ] as [ExactText] {
        let found = try await daemon.run { () async throws in try await daemon.reads.rows(mailbox, address) }
        #expect(found == [Mailbox(ofCanonical: address).address], "\(address)")
      }
    }
  }

  @Test func `a place that no page ended with is none`() {
    let (one, two) = ("01920000-0000-7000-8000-000000000001", "01920000-0000-7000-8000-000000000002")
    for place in [
      "", "x", ">", "=", "1", "0>a", "5>a", "1.>a", "1.=a", "1\(one)=a", "1\(one).=a", "1\(one).x=a",
      "1\(two).\(one)=a",
      "1\(one).\(one)=a", "1\(one).\(two)>a", "1\(one).\(two).\(two)=a", "١>a",
    ] {
      #expect(ListDuplicates.Position(place: ExactText(place)) == nil, "\(place)")
    }
    for place in ["1>", "1>a>=b", "1=a@b.example", "2\(one).\(two)=a@b.example", "3>10-01 ~gim hanul", "4=김", "3=x"] {
      #expect(ListDuplicates.Position(place: ExactText(place))?.place == ExactText(place))
    }
  }
}
