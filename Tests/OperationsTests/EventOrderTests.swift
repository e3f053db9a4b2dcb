import Accounts
import EventLoop
import Operations
import Postgres
import Store
import TestSupport
import Testing

/// Consumers read every event once, each user's in their order, however transactions are mixed.
@Suite(.timeLimit(.minutes(5))) struct EventOrderTests {
  private static let writers = 16
  private static let users = 12

  /// What a writer does: transactions that lock one user or two as the daemon does, tell of them by number, work for a random
  /// while in between, and commit or do not.
  private static func writing(transactions: Int) -> String {
    """
    do $$
    declare
      pair int[];
    begin
      for i in 1..\(transactions) loop
        pair := array[(random() * \(users - 1))::int, (random() * \(users - 1))::int];
        perform pg_advisory_xact_lock(l.name) from (
          select uuid_hash_extended(t.id, 0) as name from trial t where t.number = any (pair) order by name
        ) l;
        perform count(*) from generate_series(1, (random() * 3000)::int);
        with told as (
          update trial t set told = t.told + 1 where t.number = any (pair) returning t.id, t.told
        )
        insert into kith.events (id, type, at, user_id, data)
        select gen_random_uuid(), 'user.updated', clock_timestamp(), told.id, json_build_object('n', told.told) from told;
        perform count(*) from generate_series(1, (random() * 3000)::int);
        if random() < 0.1 then rollback; else commit; end if;
      end loop;
    end $$
    """
  }

  private static let trial = """
    create table trial as
      select n as number, ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, 0 as told
      from generate_series(0, \(users)) n;
    """

  /// Follows the events on a daemon's loop as one consumer.
  private struct Reader: Sendable {
    let follow: FollowEvents
    let acknowledge: AcknowledgeEvents
    let key: ConsumerKey
    let limit: Int

    init(_ daemon: TestDaemon, _ name: String, signal: CommitSignal = CommitSignal(), limit: Int) throws {
      struct NoName: Error {}
      guard let name = ConsumerName(ExactText(name)) else { throw NoName() }
      key = ConsumerKey(caller: .tester, name: name)
      let feed = EventFeed(on: daemon.loop, reads: daemon.reads, writes: daemon.writes, signal: signal)
      follow = FollowEvents(
        on: daemon.loop, feed: feed, reads: daemon.reads, writes: daemon.writes, circumstances: daemon.circumstances)
      acknowledge = AcknowledgeEvents(
        on: daemon.loop, follow: follow, writes: daemon.writes, circumstances: daemon.circumstances)
      self.limit = limit
    }

    /// What comes next, acknowledged.
    func next(waitMilliseconds: UInt64 = 0) async throws -> [StoredEvent] {
      let page = try await follow.read(
        .consumer(key, origin: .oldest), limit: limit, waitMilliseconds: waitMilliseconds
      ) { _ in }
      if !page.events.isEmpty {
        let call = ChangeCall<EventCursor>(caller: .tester, peerUID: 1, requestKey: nil) { _ in [] }
        _ = try await acknowledge.acknowledge(key, upTo: page.cursor, call: call)
      }
      return page.events
    }

    /// Everything until so many are there.
    func read(_ count: Int) async throws -> [StoredEvent] {
      var events: [StoredEvent] = []
      while events.count < count { events += try await next(waitMilliseconds: 10_000) }
      return events
    }
  }

  private static func expectOrder(_ events: [StoredEvent], _ comment: String) {
    #expect(Set(events.map(\.id)).count == events.count, "each once \(comment)")
    #expect(zip(events, events.dropFirst()).allSatisfy { $1.place == $0.place + 1 }, "without a gap \(comment)")
    for (user, told) in Dictionary(grouping: events, by: \.user) {
      let numbers = told.map { $0.data.string.filter(\.isNumber) }.compactMap { Int($0) }
      #expect(numbers == Array(1...told.count), "\(user.map { "\($0)" } ?? "nobody") \(comment)")
    }
  }

  @Test func `no gap, no repetition, and each user's order, while transactions commit out of order`() async throws {
    try await TestDaemon.with(Self.trial) { daemon async throws in
      let others = try await TestDaemon.start(on: daemon.database)
      let readers = [
        try Reader(daemon, "a", limit: 1000), try Reader(daemon, "b", limit: 7), try Reader(others, "c", limit: 50),
      ]
      try await Interferer.with(daemon) { holder in
        // One that has its number before all others, and stays open: it holds nobody up.
        try await holder.script(
          """
          begin;
          insert into kith.events (id, type, at, user_id, data)
          select gen_random_uuid(), 'user.updated', now(), t.id, '{"n": 1}' from trial t where t.number = \(Self.users);
          """)
        async let reading = withThrowingTaskGroup(of: (Int, [StoredEvent]).self) { group in
          // Each reads alongside until it has seen what is last: the mark that is written when all writers are through.
          for (number, reader) in readers.enumerated() {
            group.addTask {
              let daemon = number == 2 ? others : daemon
              return (
                number,
                try await daemon.run { () async throws in
                  var events: [StoredEvent] = []
                  while events.last?.type != "trial.over" {
                    events += try await reader.next(waitMilliseconds: 10_000)
                  }
                  return events
                }
              )
            }
          }
          return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<Self.writers {
            group.addTask {
              try await Interferer.with(daemon) { try await $0.script(Self.writing(transactions: 60)) }
            }
          }
          try await group.waitForAll()
        }
        try await daemon.database.script(
          "insert into kith.events (id, type, at) values (gen_random_uuid(), 'trial.over', now())", as: .superuser)
        let read = try await reading
        let written = try await daemon.count("select count(*)::text from kith.events")
        for number in readers.indices {
          let events = Array((read[number] ?? []).dropLast())
          #expect(events.count + 1 == written)
          Self.expectOrder(events, "\(number)")
        }
        try await holder.script("commit")
      }
      // What was held open comes now, once, to everybody.
      for (number, reader) in readers.enumerated() {
        try await (number == 2 ? others : daemon).run { () async throws in
          let late = try await reader.read(1)
          #expect(late.map(\.user) == [.numbered(UInt64(Self.users))])
          #expect(try await reader.next().isEmpty)
        }
      }
      await others.stop()
    }
  }

  @Test func `those who wait at one place are told by one read`() async throws {
    try await TestDaemon.with(Self.trial) { daemon async throws in
      let signal = CommitSignal()
      let readers = try (0..<100).map { try Reader(daemon, "r\($0)", signal: signal, limit: 100) }
      // All of one feed, as in a daemon.
      let shared = readers[0].follow
      try await daemon.run { () async throws in
        for reader in readers { _ = try await shared.start(of: .consumer(reader.key, origin: .oldest)) }
        let pages = Pages()
        for _ in readers { shared.feed.next(after: 0, limit: 100, waitMilliseconds: nil) { pages.take($0) } }
        try await daemon.database.script(
          "insert into kith.events (id, type, at) values (gen_random_uuid(), 'user.updated', now())", as: .superuser)
        await pages.count(100)
        #expect(Set(pages.found.map { ObjectIdentifier($0) }).count == 1)
      }
    }
  }

  @Test func `those who go on at one place while there is more are told by one read, too`() async throws {
    try await TestDaemon.with(Self.trial) { daemon async throws in
      try await daemon.database.script(
        """
        insert into kith.events (id, type, at)
        select gen_random_uuid(), 'user.updated', now() from generate_series(1, 25)
        """, as: .superuser)
      let feed = try Reader(daemon, "a", limit: 10).follow.feed
      try await daemon.run { () async throws in
        _ = try await feed.log()
        for (after, expected) in [(Int64(0), 10), (10, 10), (20, 5)] {
          let pages = Pages()
          for _ in 0..<100 { feed.next(after: after, limit: 10, waitMilliseconds: nil) { pages.take($0) } }
          await pages.count(100)
          #expect(Set(pages.found.map { ObjectIdentifier($0) }).count == 1)
          #expect(pages.found.first?.events.count == expected)
        }
      }
    }
  }

  /// Gathers pages. `@unchecked Sendable`: touched on one loop's thread only.
  private final class Pages: @unchecked Sendable {
    private(set) var found: [EventPage] = []
    private var wait: (Int, CheckedContinuation<Void, Never>)?

    func take(_ outcome: Result<EventPage, OperationError>) {
      if case .success(let page) = outcome { found.append(page) }
      guard let (count, continuation) = wait, found.count >= count else { return }
      wait = nil
      continuation.resume()
    }

    func count(_ count: Int) async {
      guard found.count < count else { return }
      await withCheckedContinuation { wait = (count, $0) }
    }
  }

  @Test func `consumers are told how far they are behind about somebody`() async throws {
    try await TestDaemon.with(Self.trial) { daemon async throws in
      let (slow, quick) = (try Reader(daemon, "slow", limit: 2), try Reader(daemon, "quick", limit: 1000))
      let list = ListConsumers(reads: daemon.reads)
      let told = """
        insert into kith.events (id, type, at, user_id, data)
        select gen_random_uuid(), 'user.updated', now(), t.id, '{"n": 1}' from trial t, generate_series(1, 3)
        where t.number in (1, 2, 3);
        """
      try await daemon.database.script(told, as: .superuser)
      try await daemon.run { () async throws in
        #expect(try await slow.next().count == 2)
        #expect(try await quick.next().count == 9)
      }
      // These have no place yet.
      try await daemon.database.script(told, as: .superuser)
      try await daemon.run { () async throws in
        let behind = try await list.behind(about: [.numbered(1), .numbered(3)])
        #expect(behind.map { "\($0.caller) \($0.name)" } == ["tester quick", "tester slow"])
        #expect(behind.map(\.behind)[0] == 6)
        // Of its nine, two are done, which may be theirs or not.
        #expect((10...12).contains(behind.map(\.behind)[1]))
        #expect(try await list.behind(about: [.numbered(9)]).map(\.behind) == [0, 0])
        #expect(try await quick.next().count == 9)
        #expect(try await list.all().map(\.behind) == [0, 16])
      }
    }
  }

  @Test func `acknowledgements of many at once move each consumer and never back`() async throws {
    try await TestDaemon.with(Self.trial) { daemon async throws in
      try await daemon.database.script(
        """
        insert into kith.events (id, type, at)
        select gen_random_uuid(), 'user.updated', now() from generate_series(1, 200)
        """, as: .superuser)
      let other = try await TestDaemon.start(on: daemon.database)
      let readers = try (0..<20).map { try Reader($0 % 2 == 0 ? daemon : other, "r\($0 / 2)", limit: 100) }
      for (number, reader) in readers.enumerated() {
        try await (number % 2 == 0 ? daemon : other).run { () async throws in
          _ = try await reader.follow.read(.consumer(reader.key, origin: .oldest), limit: 1, waitMilliseconds: 0) { _ in
          }
        }
      }
      // Two daemons acknowledge the same consumers, in all orders.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for place in (1...200).shuffled() {
          let number = place % 20
          group.addTask {
            try await (number % 2 == 0 ? daemon : other).run { () async throws in
              let call = ChangeCall<EventCursor>(caller: .tester, peerUID: 1, requestKey: nil) { _ in [] }
              let answer = try await readers[number].acknowledge.acknowledge(
                readers[number].key, upTo: EventCursor(era: 1, place: Int64(place)), call: call)
              guard case .new(let cursor) = answer else { return }
              #expect(cursor.place >= place)
            }
          }
        }
        try await group.waitForAll()
      }
      // Each has the highest of what was acknowledged for it: r0 by 0 and 1 modulo 20, and so on.
      let places = try await daemon.texts("select c.place::text from kith.consumers c order by c.name")
      #expect(places == (0..<10).map { pair in "\((1...200).filter { $0 % 20 / 2 == pair }.max() ?? 0)" })
      #expect(
        try await daemon.count(
          "select deadlocks::text from pg_stat_database where datname = current_database()") == 0)
      await other.stop()
    }
  }
}
