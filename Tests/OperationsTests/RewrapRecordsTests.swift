import Accounts
import Crypto
import Operations
import Postgres
import Store
import Testing
import TestSupport
import Vault

/// Counting what each key seals, and wrapping it anew.
struct RewrapRecordsTests {
  private struct Keys {
    let former: Keyset
    let promoted: Keyset
    let retired: Keyset

    init() throws {
      former = try TestKeys.keyset()
      promoted = try former.adding(try TestKeys.keyID("k2"), TestKeys.key(2)).promoting(try TestKeys.keyID("k2"))
      retired = try promoted.retiring(try TestKeys.keyID("k1"))
    }
  }

  private func with(
    _ body: (TestDaemon, SealedSeed, SharedSealer, Keys) async throws -> Void
  ) async throws {
    let keys = try Keys()
    try await TestDaemon.with { daemon async throws in
      let seed = try await daemon.database.sealedSeed(by: keys.former)
      let sealer = SharedSealer(try KeyRing(keys.promoted, random: .system), databaseID: seed.databaseID)
      try await body(daemon, seed, sealer, keys)
    }
  }

  /// Runs batches to the end.
  private func all(
    _ rewrap: RewrapRecords, limit: Int
  ) async throws -> (rewrapped: Int, failed: [SealedPlace], remaining: Int, batches: Int) {
    var sum = (rewrapped: 0, failed: [SealedPlace](), remaining: 0, batches: 0)
    var place: ExactText?
    repeat {
      let outcome = try await rewrap.run(try PageRequest(after: place, limit: limit))
      sum.rewrapped += outcome.rewrapped
      sum.failed += outcome.failures.map(\.place)
      sum.remaining = outcome.remaining
      sum.batches += 1
      place = outcome.next?.place
    } while place != nil
    return sum
  }

  @Test func `what each key seals is counted by kind, that of an unknown key as well`() async throws {
    try await with { daemon, seed, sealer, keys async throws in
      try await daemon.database.script(
        seed.credentials(1..<6) + seed.registrations(1..<4) + seed.answers(1..<3)
          + """
          update kith.credentials set key_id = 'gone', sealed = '\\x010104676f6e65'::bytea || substr(sealed, 6)
          where account = 'a5';
          """, as: .superuser)
      let usage = KeyUsage(reads: daemon.reads, sealer: sealer)
      let told = try await daemon.run { try await usage.tell() }
      #expect(told.primary == (try TestKeys.keyID("k2")))
      #expect(told.keys.map(\.id) == ["k1", "k2", "gone"])
      #expect(told.keys[0].records == [.credential: 4, .registration: 3, .keptAnswer: 2])
      #expect(told.keys[1].records == [:])
      #expect(told.keys[2].records == [.credential: 1])
    }
  }

  @Test func `everything is wrapped anew in batches, and the former key is needed no longer`() async throws {
    try await with { daemon, seed, sealer, keys async throws in
      try await daemon.database.script(
        seed.credentials(0..<25) + seed.registrations(0..<12) + seed.answers(0..<7), as: .superuser)
      let rewrap = RewrapRecords(writes: daemon.writes, sealer: sealer)
      let first = try await daemon.run { try await rewrap.run(try PageRequest(limit: 10)) }
      #expect(first.rewrapped == 10 && first.remaining == 34)
      let rest = try await daemon.run { try await all(rewrap, limit: 10) }
      #expect(rest.rewrapped == 34 && rest.failed == [] && rest.remaining == 0)
      let again = try await daemon.run { try await all(rewrap, limit: 10) }
      #expect(again.rewrapped == 0 && again.batches == 1)

      let opened = try await daemon.database.credentials(openedBy: keys.retired)
      #expect(opened == Dictionary(uniqueKeysWithValues: (0..<25).map { ($0, SealedSeed.content($0)) }))
      let ring = try KeyRing(keys.retired, random: .system)
      let rows = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        var pipeline = Pipeline()
        let slots = [SealedKind.registration, .keptAnswer].map { kind in
          pipeline.add(
            LockSealedRows.statement(kind), LockSealedRows(key: "k2", after: nil, rowsMax: 100, bytesMax: 1 << 20))
        }
        let results = try await transaction.commit(pipeline)
        return try slots.map { try results.rows(of: $0) }
      }
      #expect(rows.map(\.count) == [12, 7])
      for (number, row) in rows[0].enumerated() {
        let details = try ring.open(try SealedRecord(row.sealed), in: row.context(databaseID: seed.databaseID))
        #expect(details == SealedSeed.details(number))
      }
      for (number, row) in rows[1].enumerated() {
        let answer = try ring.open(try SealedRecord(row.sealed), in: row.context(databaseID: seed.databaseID))
        #expect(answer == SealedSeed.content(number))
      }
      // A registration is found by its address under the new key.
      let newSealer = Sealer(ring, databaseID: seed.databaseID)
      let codes = try await daemon.texts("select encode(r.email_index, 'hex') from kith.registrations r order by r.id")
      let expected = try (0..<12).map { try newSealer.emailIndex(inDetails: SealedSeed.details($0))?.code ?? [] }
      #expect(codes == expected.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() })
    }
  }

  @Test func `a record that cannot be unwrapped is named and left, and holds up no other`() async throws {
    try await with { daemon, seed, sealer, keys async throws in
      try await daemon.database.script(
        seed.credentials(0..<40) + seed.registrations(0..<3) + """
          update kith.credentials c set account = 'moved' || c.account where c.account in ('a0', 'a1', 'a2', 'a3', 'a17');
          update kith.credentials c set sealed = substr(c.sealed, 1, 5) where c.account = 'a30';
          update kith.registrations r set version = 2 where r.subject = 's1';
          update kith.credentials c set key_id = 'zz', sealed = overlay(c.sealed placing 'zz' from 4)
          where c.account = 'a31';
          """, as: .superuser)
      let rewrap = RewrapRecords(writes: daemon.writes, sealer: sealer)
      let done = try await daemon.run { try await all(rewrap, limit: 3) }
      #expect(done.rewrapped == 35)
      #expect(done.remaining == 8)
      #expect(
        Set(done.failed.map { "\($0)" })
          == Set(
            ["registration \(SealedSeed.id(1))"] + [0, 1, 2, 3, 17, 30, 31].map { "credential \(SealedSeed.id($0))" }))
      let again = try await daemon.run { try await all(rewrap, limit: 3) }
      #expect(again.rewrapped == 0 && again.failed.count == 8)
    }
  }

  @Test func `several at once wrap each record once, and what is locked is left for the next time`() async throws {
    try await with { daemon, seed, sealer, keys async throws in
      try await daemon.database.script(seed.credentials(0..<300), as: .superuser)
      let rewrap = RewrapRecords(writes: daemon.writes, sealer: sealer)
      try await Interferer.with(daemon) { interferer in
        try await interferer.script("begin; select from kith.credentials c where c.account = 'a7' for update")
        try await daemon.run { () async throws in
          async let first = all(rewrap, limit: 20)
          async let second = all(rewrap, limit: 20)
          async let third = all(rewrap, limit: 20)
          let (one, two, three) = try await (first, second, third)
          #expect(one.rewrapped + two.rewrapped + three.rewrapped == 299)
          #expect(one.failed == [] && two.failed == [] && three.failed == [])
        }
        try await interferer.script("commit")
      }
      let rest = try await daemon.run { try await all(rewrap, limit: 20) }
      #expect(rest.rewrapped == 1 && rest.remaining == 0)
      #expect(try await daemon.database.credentials(openedBy: keys.retired).count == 300)
    }
  }

  @Test func `a batch of long records has fewer of them`() async throws {
    try await with { daemon, seed, sealer, keys async throws in
      try await daemon.database.script(seed.credentials(0..<60, bytes: 120_000), as: .superuser)
      let rewrap = RewrapRecords(writes: daemon.writes, sealer: sealer)
      let first = try await daemon.run { try await rewrap.run(try PageRequest(limit: 1000)) }
      #expect((30..<40).contains(first.rewrapped))
      #expect(first.next != nil)
      let rest = try await daemon.run { try await all(rewrap, limit: 1000) }
      #expect(rest.rewrapped == 60 - first.rewrapped)
      #expect(
        try await daemon.database.credentials(openedBy: keys.retired)[59] == SealedSeed.content(59, bytes: 120_000))
    }
  }

  @Test func `a place is written and read again, and nothing else is one`() throws {
    for key in ["k1", "a.b.c", "."] {
      let place = SealedPlace(kind: .credential, key: ExactText(key), id: SealedSeed.id(3))
      #expect(SealedPlace(place: place.place) == place)
    }
    for text in ["", "c", "c.x.k1", "x.\(SealedSeed.id(3)).k1", "c.\(SealedSeed.id(3))"] {
      #expect(SealedPlace(place: ExactText(text)) == nil)
    }
  }
}
