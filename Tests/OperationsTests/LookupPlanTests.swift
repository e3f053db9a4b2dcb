import Accounts
import Postgres
import Store
import Testing

/// A statement's plan may be made while its table is empty, when reading all of it costs nothing, and is used when the
/// table is not. So look-ups must go by the index in any case.
struct LookupPlanTests {
  private static let filling = Statement<Void, Void>(
    "fill",
    """
    with users as (
      insert into kith.users (id) select ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
      from generate_series(2, 1000) n
      returning id
    ), identities as (
      insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
      select 1, id, id, gen_random_uuid(), now(), 'import' from users
    ), held as (
      insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, link, caller, held_at,
        said_at, expires_at)
      select gen_random_uuid(), 1, 's' || n, 1, '\\x0101026b31', 'k1', 'never', 'web', now(), now(), now() + interval '1 day'
      from generate_series(1, 1000) n
    )
    insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at)
    select gen_random_uuid(), 'group', 'account' || n, 'service', 1, '\\x0101026b31', 'k1', now(), now()
    from generate_series(1, 1000) n
    """
  ) { _, _ in }

  /// What this transaction has read so far of tables and indexes.
  private static let rowsRead = Statement<Void, Int64>(
    "rows_read",
    """
    select sum(pg_stat_get_xact_tuples_returned(c.oid))::int8 from pg_class c
    where c.relnamespace = 'kith'::regnamespace and c.relkind in ('r', 'i')
    """
  ) { row throws(PostgresError) in try row.integer() }

  private func lookups(_ number: Int) throws -> Pipeline {
    var pipeline = Pipeline()
    let subject = try #require(Subject("s\(number)"))
    pipeline.add(FindRegistrations.lockingByKey, [StoredKey(namespace: 1, subject: subject)])
    pipeline.add(
      FindCredentials.statement,
      [CredentialPlace(accessGroup: "group", account: ExactText("account\(number)"), service: "service")])
    let user = UserID.numbered(UInt64(number))
    pipeline.add(ListIdentities.statement, .init(user: user, limit: 100))
    pipeline.add(ListIdentities.ofSeveral, PartsOfUsers(users: [user], limit: 100))
    return pipeline
  }

  @Test(arguments: ["", "vacuum analyze kith.registrations, kith.credentials"])
  func `a plan for empty tables reads no more than what is asked for`(before: String) async throws {
    let seed = Seed.users(1)
    try await TestDaemon.with(seed) { daemon async throws in
      if !before.isEmpty { try await daemon.database.script(before, as: .superuser) }
      let (early, late) = (try lookups(0), try lookups(500))
      let read = try await daemon.run { () async throws in
        let transaction = try await daemon.writes.begin()
        _ = try await transaction.run(early)
        var pipeline = Pipeline()
        pipeline.add(Self.filling, ())
        let former = pipeline.add(Self.rowsRead, ())
        pipeline.append(late)
        let present = pipeline.add(Self.rowsRead, ())
        let results = try await transaction.run(pipeline)
        let read = (try results.rows(of: present).first ?? .max) - (try results.rows(of: former).first ?? 0)
        await transaction.rollback()
        return read
      }
      #expect(read < 30)
    }
  }
}
