import Accounts
import Postgres

/// The numbers under which the database keeps the configured namespaces.
public struct NamespaceDirectory: Sendable {
  private let numbers: [Namespace: Int32]

  /// The number of a configured namespace.
  public func number(of namespace: Namespace) -> Int32? { numbers[namespace] }

  /// Enters the namespaces that the database does not have yet and reads the numbers of all. Changes nothing where it has all
  /// of them, so that a daemon that starts on a read-only database can serve what only reads.
  public static func load(_ namespaces: [Namespace], from pool: Pool) async throws(PostgresError) -> NamespaceDirectory
  {
    let directory = try await read(namespaces, from: pool, entering: false)
    guard directory.numbers.count < namespaces.count else { return directory }
    return try await read(namespaces, from: pool, entering: true)
  }

  private static func read(
    _ namespaces: [Namespace], from pool: Pool, entering isEntering: Bool
  ) async throws(PostgresError) -> NamespaceDirectory {
    var pipeline = Pipeline()
    if isEntering { pipeline.add(enter, namespaces) }
    let slot = pipeline.add(read, namespaces)
    // Safe to repeat, so an unknown commit is treated like any other broken connection.
    let results = try await pool.begin().commit(pipeline, changes: false)
    var numbers: [Namespace: Int32] = [:]
    for row in try results.rows(of: slot) { numbers[namespaces[row.position]] = row.number }
    return NamespaceDirectory(numbers: numbers)
  }

  private static let enter = Statement<[Namespace], Void>(
    "enter_namespaces",
    """
    insert into kith.namespaces (provider, tenant)
    select n.provider, n.tenant from unnest($1::text[], $2::text[]) n (provider, tenant)
    where not exists (select from kith.namespaces k where k.provider = n.provider and k.tenant = n.tenant)
    on conflict do nothing
    """
  ) { namespaces, parameters in
    parameters.add(column: { $0.provider.rawValue }, of: namespaces)
    parameters.add(column: { $0.tenant }, of: namespaces)
  }

  private static let read = Statement<[Namespace], (position: Int, number: Int32)>(
    "read_namespaces",
    """
    select n.position, k.id
    from unnest($1::text[], $2::text[]) with ordinality n (provider, tenant, position)
    join kith.namespaces k on k.provider = n.provider and k.tenant = n.tenant
    """,
    encode: { namespaces, parameters in
      parameters.add(column: { $0.provider.rawValue }, of: namespaces)
      parameters.add(column: { $0.tenant }, of: namespaces)
    },
    decode: { row throws(PostgresError) in (try row.position(), try row.integer()) })
}
