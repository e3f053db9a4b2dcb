import Postgres
import Schema

/// The statements around the scripts.
enum MigrationStatements {
  static let begin = Statement<Void, Void>("migration_begin", "begin") { _, _ in }
  static let commit = Statement<Void, Void>("migration_commit", "commit") { _, _ in }
  static let rollback = Statement<Void, Void>("migration_rollback", "rollback") { _, _ in }

  /// Whoever comes second waits here, for as long as the connection's limits let it. The number spells "kith".
  static let lock = Statement<Void, Void>(
    "migration_lock", "select from pg_advisory_xact_lock(x'6b697468'::integer)"
  ) { _, _ in }

  /// Objects belong to the owner, whoever migrates.
  static let becomeOwner = Statement<Void, Void>("migration_become_owner", "set local role kith_owner") { _, _ in }

  /// Whether the connection is the owner's own.
  static let isOwner = Statement<Void, Bool>("migration_is_owner", "select session_user = 'kith_owner'") {
    row throws(PostgresError) in try row.bool()
  }

  /// Whether there is bookkeeping, and so the roles too.
  static let isPrepared = Statement<Void, Bool>(
    "migration_is_prepared",
    """
    select exists (
      select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = 'kith' and relname = 'functions'
    )
    """
  ) { row throws(PostgresError) in try row.bool() }

  static let migrations = Statement<[Schema.Migration], MigrationStatus.Entry>(
    "migration_status",
    """
    select
      version,
      coalesce(carried.name, applied.name),
      case
        when applied.version is null then 'pending'
        when carried.version is null then 'unknown'
        when applied.checksum <> encode(sha256(convert_to(carried.script, 'UTF8')), 'hex') then 'changed'
        else 'applied'
      end,
      applied.applied_at
    from unnest($1::integer[], $2::text[], $3::text[]) as carried (version, name, script)
    full join kith.migrations as applied using (version)
    order by version
    """,
    encode: { migrations, parameters in
      parameters.add(array: migrations.map { Int32($0.version) })
      parameters.add(array: migrations.map(\.script.name))
      parameters.add(array: migrations.map(\.script.text))
    },
    decode: { row throws(PostgresError) in
      let version = Int(try row.integer(Int32.self))
      let name = try row.text()
      guard let state = MigrationStatus.Entry.State(rawValue: try row.text()) else {
        throw .unexpectedAnswer("a migration is in no known state")
      }
      return MigrationStatus.Entry(
        version: version, name: name, state: state, appliedAtMicroseconds: try row.optionalMicroseconds())
    })

  static let outdatedFunctions = Statement<[Schema.Script], String>(
    "migration_outdated_functions",
    """
    select carried.name
    from unnest($1::text[], $2::text[]) as carried (name, script)
    left join kith.functions as applied using (name)
    where applied.checksum is distinct from encode(sha256(convert_to(carried.script, 'UTF8')), 'hex')
    order by carried.name
    """,
    encode: { scripts, parameters in
      parameters.add(array: scripts.map(\.name))
      parameters.add(array: scripts.map(\.text))
    },
    decode: { row throws(PostgresError) in try row.text() })

  static let recordMigration = Statement<Schema.Migration, Void>(
    "migration_record",
    """
    insert into kith.migrations (version, name, checksum)
    values ($1::integer, $2::text, encode(sha256(convert_to($3::text, 'UTF8')), 'hex'))
    """
  ) { migration, parameters in
    parameters.add(Int32(migration.version))
    parameters.add(migration.script.name)
    parameters.add(migration.script.text)
  }

  static let recordFunctions = Statement<Schema.Script, Void>(
    "migration_record_functions",
    """
    insert into kith.functions (name, checksum)
    values ($1::text, encode(sha256(convert_to($2::text, 'UTF8')), 'hex'))
    on conflict (name) do update set checksum = excluded.checksum, applied_at = now()
    """
  ) { script, parameters in
    parameters.add(script.name)
    parameters.add(script.text)
  }
}
