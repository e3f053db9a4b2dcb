import TestSupport
import Testing

/// Somebody who can write to the database moves, changes and puts back what is sealed. Nothing of that opens; the caller is
/// told `internal` and no more, and the journal which record it was.
@Suite(.timeLimit(.minutes(10)))
struct SealedRecordAttackTests {
  /// Of each kind.
  private static let recordsMax = 70

  private static func invalid(_ record: SealedSite.Record) -> String {
    "sealed_record_invalid: \(record.kind) \(record.id)"
  }

  private static func counts(of journal: String) -> [String: Int] {
    journal.split(separator: "\n").reduce(into: [:]) { counts, line in
      guard let start = line.firstRange(of: "sealed_record_invalid: ") else { return }
      let text = line[start.lowerBound...]
      let ends = text.indices.filter { text[$0] == ":" || text[$0] == "," }
      counts[String(ends.count > 1 ? text[..<ends[1]] : text), default: 0] += 1
    }
  }

  /// Every one of 210 records gets the sealed column of every other one: 43,890 moves, all kinds into all kinds, each read.
  @Test func `a sealed value opens in no other row`() async throws {
    var records: [SealedSite.Record] = []
    try await SealedSite.with { site in
      records = try await site.fill(Self.recordsMax)
      for (record, answer) in zip(records, try await site.read(records)) {
        #expect(record.isTold(by: answer), "\(answer.text)")
      }
      for steps in 1..<records.count {
        try await site.tamper("select attack.rotate(\(steps))")
        let answers = try await site.read(records)
        let opened = zip(records, answers).filter { !$0.isRefused(by: $1) }
        #expect(opened.isEmpty, "by \(steps): \(opened.first?.0.kind ?? "") \(opened.first?.1.json ?? .null)")
      }
      try await site.tamper("select attack.restore()")
      for (record, answer) in zip(records, try await site.read(records)) {
        #expect(record.isTold(by: answer), "\(answer.text)")
      }
    } journal: { journal in
      let counts = Self.counts(of: journal)
      for record in records { #expect(counts[Self.invalid(record)] == records.count - 1, "\(record.kind)") }
    }
  }

  /// Neighbours in random orders of 210 records change places; all others open meanwhile.
  @Test(arguments: [20_261_130]) func `two sealed values that changed places keep no other from opening`(
    _ seed: UInt64
  ) async throws {
    try await SealedSite.with { site in
      let records = try await site.fill(Self.recordsMax)
      var random = SeededRandom(seed: seed)
      let order = records.indices.shuffled(using: &random)
      for (first, second) in zip(order, order.dropFirst()).prefix(60) {
        try await site.tamper("select attack.swap(\(first), \(second))")
        for (number, answer) in try await site.read(records).enumerated() {
          let isSwapped = number == first || number == second
          #expect(
            isSwapped ? records[number].isRefused(by: answer) : records[number].isTold(by: answer),
            "\(first) and \(second), seed \(seed): \(number)")
        }
        try await site.tamper("select attack.restore()")
      }
    }
  }

  @Test func `a sealed value with one byte changed opens nowhere, whichever byte`() async throws {
    var chosen: [SealedSite.Record] = []
    var rounds = 0
    try await SealedSite.with { site in
      let count = 7
      let records = try await site.fill(count)
      chosen = Array(records.dropLast())
      try #require(chosen.count == 20)
      let lengths = try await site.database.texts("select max(length(sealed))::text from attack.records where n < 20")
      rounds = try #require(lengths.first.flatMap { Int($0) })
      for place in 0..<rounds {
        let mask = 1 << (place % 8)
        try await site.tamper("select attack.flip(array(select generate_series(0, 19)), \(place), \(mask))")
        for (record, answer) in zip(chosen, try await site.read(chosen)) {
          #expect(record.isRefused(by: answer), "\(record.kind), byte \(place): \(answer.text)")
        }
        #expect(records[20].isTold(by: try await site.read([records[20]])[0]))
      }
    } journal: { journal in
      let counts = Self.counts(of: journal)
      for record in chosen { #expect(counts[Self.invalid(record)] == rounds, "\(record.kind)") }
    }
  }

  /// The row's id and everything sealed go along, so that only what the row is for tells the difference.
  @Test func `what is sealed for one person, call or place is not told to another`() async throws {
    try await SealedSite.with { site in
      let records = try await site.fill(12)
      try await site.tamper(
        """
        create table attack.registrations as select * from kith.registrations;
        delete from kith.registrations;
        insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, email_index, link, caller,
          attempts, last_reason, held_at, said_at, email_said_at, expires_at)
        select a.id, a.namespace_id, 'subject-' || (substr(a.subject, 9)::int + 1) % 12, a.version, a.sealed, a.key_id,
          a.email_index, a.link, a.caller, a.attempts, a.last_reason, a.held_at, a.said_at, a.email_said_at,
          a.expires_at
        from attack.registrations a;
        create table attack.answers as select * from kith.request_keys where sealed is not null;
        update kith.request_keys k set (record_id, sealed, key_id) = (
          select a.record_id, a.sealed, a.key_id from attack.answers a
          where a.key = 'key-' || (substr(k.key, 5)::int + 1) % 12)
        where k.sealed is not null;
        create table attack.credentials as select * from kith.credentials;
        delete from kith.credentials;
        insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at)
        select a.id, b.access_group, b.account, b.service, a.version, a.sealed, a.key_id, a.created_at, a.updated_at
        from attack.credentials a join attack.credentials b
          on b.service = 's' || (substr(a.service, 2)::int + 1) % 12;
        """)
      for (record, answer) in zip(records, try await site.read(records)) {
        #expect(record.isRefused(by: answer), "\(record.kind): \(answer.text)")
      }
      // Whoever signs in does not come by the address that another one proved.
      let resumed = try await site.peer.signIn("apple", "subject-1", nil, #""include":["profile","emails"]"#)
      #expect(resumed.reason == "internal", "\(resumed.text)")
      let addresses = "select count(*)::text from kith.emails" as StaticString
      #expect(try await site.database.count(addresses) == 0)
    }
  }

  @Test func `a sealed answer among answers that are never sealed is not told`() async throws {
    try await SealedSite.with { site in
      _ = try await site.fill(1)
      let user = try #require(try await site.peer.signIn("linkedin", "owner-0").userID)
      let call = #"{"id":"\#(user)","profile":{"nickname":"a"},"request_key":"u"}"#
      #expect(try await site.peer.call("user.update", call).result != nil)
      try await site.tamper(
        """
        create table attack.answer as select record_id, sealed, key_id from kith.request_keys where key = 'key-0';
        update kith.request_keys k set answer = null, (record_id, sealed, key_id) = (
          select a.record_id, a.sealed, a.key_id from attack.answer a) where key = 'u';
        """)
      let answer = try await site.peer.call("user.update", call)
      #expect(answer.reason == "internal" && !answer.text.contains("Canary"), "\(answer.text)")
    } journal: { journal in
      #expect(journal.contains("sealed_record_invalid: kept answer "))
    }
  }

  // MARK: Old versions

  @Test func `an old version of a sealed column does not open`() async throws {
    var records: [SealedSite.Record] = []
    try await SealedSite.with { site in
      records = try await site.fill(3)
      for number in 0..<3 {
        let again = try await site.peer.signIn(
          "apple", "subject-\(number)", nil, #""register":"hold""#, #""nickname":"later""#)
        #expect(again.result?["resumed"]?.bool == true, "\(again.text)")
        let update = records[6 + number].params.dropLast() + #","label":"later"}"#
        #expect(try await site.peer.call("credential.update", String(update)).result != nil)
      }
      try await site.tamper("select attack.restore()")
      for (number, answer) in try await site.read(records).enumerated() {
        // An answer is sealed once.
        let isAnswer = (3..<6).contains(number)
        #expect(isAnswer ? records[number].isTold(by: answer) : records[number].isRefused(by: answer), "\(answer.text)")
      }
    } journal: { journal in
      for record in records.prefix(3) + records.suffix(3) { #expect(journal.contains(Self.invalid(record))) }
    }
  }

  @Test func `a credential's whole row that was put back does not open, deleted or changed`() async throws {
    var records: [SealedSite.Record] = []
    try await SealedSite.with { site in
      records = try await site.fill(4)
      try await site.tamper("create table attack.credentials as select * from kith.credentials")
      for (number, record) in records[8..<12].enumerated() {
        let more = [#","label":"later""#, #","secret":"AA==""#, "", ""][number]
        let method = number < 2 ? "credential.update" : "credential.delete"
        #expect(try await site.peer.call(method, String(record.params.dropLast()) + more + "}").result != nil)
      }
      try await site.tamper(
        "delete from kith.credentials; insert into kith.credentials select * from attack.credentials")
      for (record, answer) in zip(records[8..<12], try await site.read(Array(records[8..<12]))) {
        #expect(record.isRefused(by: answer), "\(answer.text)")
        // Whoever brings the secret anew is helped.
        let put = try await site.peer.call("credential.put", String(record.params.dropLast()) + #","secret":"AA=="}"#)
        #expect(put.result != nil, "\(put.text)")
        #expect(try await site.read([record])[0].result?["credential"]?["secret"]?.string == "AA==")
      }
    } journal: { journal in
      for record in records[8..<12] { #expect(journal.contains(Self.invalid(record))) }
    }
  }

  /// It was sealed for this very row, so it opens; but who became a user is not made one again, and nobody goes in circles.
  @Test func `a registration that is put back after it became a user makes no second one`() async throws {
    try await SealedSite.with { site in
      let records = try await site.fill(2)
      try await site.tamper("create table attack.registrations as select * from kith.registrations")
      var users: [String?] = []
      for record in records.prefix(2) {
        users.append(try await site.peer.call("registration.complete", record.params).userID)
      }
      try await site.tamper(
        "delete from kith.registrations; insert into kith.registrations select * from attack.registrations")
      for (number, record) in records.prefix(2).enumerated() {
        let completed = try await site.peer.call("registration.complete", record.params)
        #expect(completed.outcome == "signed_in" && completed.userID == users[number], "\(completed.text)")
        let again = try await site.peer.signIn(
          "apple", "subject-\(number)", "new-\(number)@example.org", verified: true)
        #expect(again.outcome == "signed_in" && again.userID == users[number], "\(again.text)")
      }
      #expect(try await site.database.count("select count(*)::text from kith.users") == 7)
      try await site.database.expectConsistency()
    }
  }

  // MARK: Those who are not attacked

  @Test func `a registration that does not open keeps nobody from being listed, and its person can be helped`()
    async throws
  {
    var broken: SealedSite.Record?
    try await SealedSite.with { site in
      let records = try await site.fill(5)
      broken = records[2]
      try await site.tamper("select attack.flip(array[2], 100, 1)")
      let listed = try await site.peer.call("registration.list")
      let items = listed.result?["items"]?.elements ?? []
      #expect(items.map { $0["id"]?.string } == records.prefix(5).map(\.id))
      #expect(items.map { $0["details"] == nil } == [false, false, true, false, false])
      #expect(items[2]["subject"]?.string == "subject-2" && !listed.text.contains("Canary-2-"))
      // By the address as well; and the others sign in meanwhile, in one batch with it.
      let found = try await site.peer.call("registration.list", #"{"email":"canary-2@example.org"}"#)
      #expect(found.result?["items"]?.elements.count == 1, "\(found.text)")
      for number in 0..<5 {
        site.peer.send(
          TestPeer.call(
            "signin.resolve",
            SignInCall("apple", "subject-\(number)", nil, #""register":"hold""#, #""locale":"ko""#).json,
            id: "\(number)"))
      }
      for answer in try await site.peer.answers(5) {
        #expect(answer.word == (answer.id?.integer == 2 ? "internal" : "registration_held"), "\(answer.text)")
      }
      // What was answered before holds, also while others of the same person are under way.
      for number in 0..<20 {
        let isKept = number % 2 == 1
        let params = SignInCall("apple", "subject-2", nil, #""register":"hold""#, #""locale":"ko""#).json
        site.peer.send(TestPeer.call("signin.resolve", isKept ? records[7].params : params, id: "\(number)"))
      }
      for answer in try await site.peer.answers(20) {
        let isKept = (answer.id?.integer ?? 0) % 2 == 1
        #expect(answer.word == "in_progress" || answer.word == (isKept ? "registration_held" : "internal"))
      }
      #expect(try await site.peer.call("registration.complete", records[2].params).reason == "internal")
      let reason = String(records[2].params.dropLast()) + #","reason":"does not open"}"#
      #expect(try await site.peer.call("registration.fail", reason).result != nil)
      #expect(try await site.peer.call("registration.discard", reason).result != nil)
      let anew = try await site.peer.signIn("apple", "subject-2", "canary-2@example.org", verified: true)
      #expect(anew.outcome == "registered" && anew.result?["resumed"] == nil, "\(anew.text)")
      #expect(try await site.peer.call("registration.list").result?["items"]?.elements.count == 4)
    } journal: { journal in
      let expected = try #require(broken.map(Self.invalid))
      #expect(Self.counts(of: journal).keys.sorted() == [expected])
    }
  }

  @Test func `a registration that does not open keeps nobody's details in the spool`() async throws {
    var settings = TestService.Settings()
    settings.databasePooler = .transaction
    try await TestDatabase.with { database in
      try await TestPooler.with(database) { pooler in
        let service = try await TestService.start(conninfo: pooler.conninfo(), settings)
        do {
          let peer = try service.connect()
          defer { peer.close() }
          let hold = #""register":"hold""#
          for subject in ["a", "broken"] {
            #expect(
              try await peer.signIn("apple", subject, nil, hold, #""nickname":"x""#).outcome == "registration_held")
          }
          try await pooler.kill()
          for subject in ["a", "broken", "c"] {
            let kept = try await peer.signIn("apple", subject, nil, hold, #""locale":"ko""#)
            #expect(kept.error?["data"]?["kept"]?.bool == true, "\(kept.text)")
          }
          try await database.script(
            """
            update kith.registrations set sealed = set_byte(sealed, 100, get_byte(sealed, 100) # 1)
            where subject = 'broken'
            """, as: .superuser)
          try await pooler.start()
          while try await peer.call("server.status").result?["spool"]?["entries"]?.integer != 0 {}
          let held = try await peer.call("registration.list")
          let items = held.result?["items"]?.elements ?? []
          #expect(Set(items.map { $0["subject"]?.string }) == ["a", "broken", "c"])
          for item in items where item["subject"]?.string != "broken" {
            #expect(item["details"]?["locale"]?.string == "ko", "\(held.text)")
          }
          await service.stop()
        } catch {
          await service.stop()
          throw error
        }
      }
    }
  }
}
