import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A service with sealed records of every kind, and somebody who can write to its database past it.
struct SealedSite: Sendable {
  /// One sealed record, and how it is read over the socket.
  struct Record: Sendable {
    /// As the journal names it.
    let kind: String
    let id: String
    let method: String
    let params: String
    /// Something in what was sealed, which the answer has when the record opens.
    let content: String

    /// Whether an answer tells what was sealed here.
    func isTold(by answer: WireAnswer) -> Bool { answer.result != nil && answer.text.contains(content) }

    /// Whether the answer refuses, with nothing but the request's id.
    func isRefused(by answer: WireAnswer) -> Bool {
      answer.reason == "internal" && answer.code == -32603
        && Set(answer.error?.members.keys.map(\.self) ?? []) == ["code", "message", "data"]
        && Set(answer.error?["data"]?.members.keys.map(\.self) ?? []) == ["reason", "retryable", "request_id"]
        && !answer.text.lowercased().contains("seal") && !answer.text.contains(content)
    }
  }

  static let groups = ["web", "ops", "mail"]
  private static let callers = [TestService.caller(more: #", access_groups: ["*"]"#)]

  let service: TestService
  let database: TestDatabase
  let peer: TestPeer
  private let journalFile: String

  /// Lends a site to `body`; then hands over what the journal was told.
  static func with(_ body: (SealedSite) async throws -> Void, journal check: (String) throws -> Void = { _ in })
    async throws
  {
    let file = "/tmp/kith-seal-\(UUID().uuidString.prefix(8)).log"
    let journal = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(journal >= 0)
    defer {
      close(journal)
      unlink(file)
    }
    var settings = TestService.Settings(callers: callers)
    settings.journalDescriptor = journal
    try await TestService.with(settings) { services, database in
      let peer = try services[0].connect()
      defer { peer.close() }
      try await body(SealedSite(service: services[0], database: database, peer: peer, journalFile: file))
    }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(!text.contains("dropped "))
    // Whoever reads the journal learns of no person and no secret.
    #expect(!text.contains("Canary") && !text.contains("@example.org") && !text.contains("subject-"))
    try check(text)
  }

  /// Makes so many records of each kind: people who are held by calls with request keys, so that their answers are kept
  /// sealed, and credentials of several groups and users.
  func fill(_ count: Int) async throws -> [Record] {
    var users: [String] = []
    for number in 0..<5 {
      users.append(try #require(try await peer.signIn("linkedin", "owner-\(number)").userID))
    }
    var records: [Record] = []
    for number in 0..<count {
      let params = Self.held(number)
      let answer = try await peer.call("signin.resolve", params)
      let id = try #require(answer.result?["registration"]?["id"]?.string, "\(answer.text)")
      records.append(
        Record(
          kind: "registration", id: id, method: "registration.get", params: #"{"registration_id":"\#(id)"}"#,
          content: "Canary-\(number)-"))
    }
    let answers = try await database.texts(
      "select key || ' ' || record_id::text from kith.request_keys where sealed is not null order by length(key), key")
    try #require(answers.count == count)
    for (number, row) in answers.enumerated() {
      let parts = row.split(separator: " ")
      try #require(parts[0] == "key-\(number)")
      records.append(
        Record(
          kind: "kept answer", id: String(parts[1]), method: "signin.resolve", params: Self.held(number),
          content: "Canary-\(number)-"))
    }
    for number in 0..<count {
      let place =
        #""access_group":"\#(Self.groups[number % 3])","account":"account-\#(number % 20)","service":"s\#(number)""#
      let secret = Data("Canary-\(number)-secret".utf8).base64EncodedString()
      let user = number % 6 == 5 ? "" : #","user_id":"\#(users[number % 6])""#
      let added = try await peer.call("credential.add", #"{\#(place),"secret":"\#(secret)"\#(user)}"#)
      #expect(added.result != nil, "\(added.text)")
    }
    let ids = try await database.texts("select id::text from kith.credentials order by substr(service, 2)::int")
    for (number, id) in ids.enumerated() {
      let place =
        #""access_group":"\#(Self.groups[number % 3])","account":"account-\#(number % 20)","service":"s\#(number)""#
      let secret = Data("Canary-\(number)-secret".utf8).base64EncodedString()
      records.append(
        Record(kind: "credential", id: id, method: "credential.get", params: "{\(place)}", content: secret))
    }
    try await database.script(Self.tools, as: .superuser)
    return records
  }

  private static func held(_ number: Int) -> String {
    SignInCall(
      "apple", "subject-\(number)", "canary-\(number)@example.org", verified: true, #""register":"hold""#,
      #""name":{"family":"Canary-\#(number)-"}"#, #""request_key":"key-\#(number)""#
    ).json
  }

  /// Reads records all at once, and gives the answers in their order.
  func read(_ records: [Record]) async throws -> [WireAnswer] {
    for (number, record) in records.enumerated() {
      peer.send(TestPeer.call(record.method, record.params, id: "\(number)"))
    }
    let answers = try await peer.answers(records.count)
    let byID = Dictionary(answers.map { ($0.id?.integer ?? -1, $0) }) { first, _ in first }
    return try records.indices.map { try #require(byID[$0]) }
  }

  /// Does something in the database past the daemon.
  func tamper(_ sql: String) async throws { try await database.script(sql, as: .superuser) }

  // MARK: What an attacker does in the database

  /// All sealed columns under consecutive numbers, as they were and as they are put; and ways to put them.
  private static let tools = """
    create schema attack;
    -- Whoever owns the schema is not kept back by what it demands.
    alter table kith.registrations drop constraint sealed_details_name_the_key_that_seals_them;
    alter table kith.credentials drop constraint a_sealed_secret_names_the_key_that_seals_it;
    alter table kith.request_keys drop constraint a_sealed_answer_names_the_key_that_seals_it;
    create table attack.records as
      select row_number() over (order by kind, n) - 1 as n, kind, id, sealed, key_id from (
        select 1 as kind, substr(r.subject, 9)::int as n, r.id, r.sealed, r.key_id from kith.registrations r
        union all
        select 2, substr(a.key, 5)::int, a.record_id, a.sealed, a.key_id from kith.request_keys a
        where a.sealed is not null
        union all
        select 3, substr(c.service, 2)::int, c.id, c.sealed, c.key_id from kith.credentials c
      ) s;
    create function attack.put(kind int, id uuid, sealed bytea, key_id text) returns void language sql as $$
      update kith.registrations r set sealed = $3, key_id = $4 where $1 = 1 and r.id = $2;
      update kith.request_keys a set sealed = $3, key_id = $4 where $1 = 2 and a.record_id = $2;
      update kith.credentials c set sealed = $3, key_id = $4 where $1 = 3 and c.id = $2;
    $$;
    create function attack.restore() returns void language sql as $$
      select attack.put(kind, id, sealed, key_id) from attack.records;
    $$;
    -- Every record gets the sealed column of the one so many places on.
    create function attack.rotate(steps int) returns void language sql as $$
      select attack.put(a.kind, a.id, b.sealed, b.key_id)
      from attack.records a join attack.records b
        on b.n = (a.n + steps) % (select count(*) from attack.records);
    $$;
    create function attack.swap(x int, y int) returns void language sql as $$
      select attack.put(a.kind, a.id, b.sealed, b.key_id)
      from attack.records a join attack.records b on (a.n, b.n) in ((x, y), (y, x));
    $$;
    -- Changes one byte of each of these records, or of their last where they are shorter.
    create function attack.flip(numbers int[], at int, mask int) returns void language sql as $$
      select attack.put(
        r.kind, r.id, set_byte(r.sealed, p.at, get_byte(r.sealed, p.at) # mask), r.key_id)
      from attack.records r, lateral (select least(at, length(r.sealed) - 1) as at) p where r.n = any (numbers);
    $$;
    """
}
