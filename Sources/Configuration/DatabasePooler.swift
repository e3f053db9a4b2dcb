/// What stands between us and PostgreSQL, as far as sessions are concerned.
public enum DatabasePooler: String, Hashable, Sendable, CaseIterable {
  /// Nothing, or a pooler that keeps a session ours while we hold it.
  case session
  /// PgBouncer in transaction mode: no state may be left in a session.
  case transaction
}
