/// Where the accounts are kept.
public enum DatabaseSource: Equatable, Sendable {
  /// A PostgreSQL of somebody else's, by libpq connection string.
  case connection(Secret)
  /// A private PostgreSQL that the daemon makes and runs in its state folder.
  case embedded
}
