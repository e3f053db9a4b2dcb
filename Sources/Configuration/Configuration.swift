import Accounts
import Vault

/// What the daemon was told to be, read and checked once; inside it is trusted.
public struct Configuration: Equatable, Sendable {
  public let database: DatabaseSource
  /// A hot standby that reads may go to.
  public let readDatabase: Secret?
  /// The owner's connection string, with which `--migrate` migrates.
  public let migrateDatabase: Secret?
  public let databasePooler: DatabasePooler
  /// An absolute path.
  public let stateFolder: String
  /// What is sealed with; nil only beside an embedded database, for which the daemon makes one.
  public let keyset: Keyset?
  public let sockets: SocketSettings
  public let namespaces: [NamespaceConfiguration]
  public let defaults: SignInDefaults
  public let callers: CallerTable
  public let limits: TransportLimits
  public let log: LogSettings
  /// From 1 to the number of processors.
  public let eventLoopThreads: Int
}

extension Configuration {
  /// The keys that differ from those of the configuration the daemon was started with and are heeded at a start only.
  ///
  /// - Parameter migrates: whether the daemon migrates at its start. If not, or with a database of its own, it never heeds
  ///   `migrate_database`, and `kith migrate` reads that anew each time.
  public func keysThatWaitForStart(since start: Configuration, migrates: Bool) -> [String] {
    let migratesByKey = migrates && database != .embedded
    return [
      ("database", database == start.database), ("read_database", readDatabase == start.readDatabase),
      ("migrate_database", !migratesByKey || migrateDatabase == start.migrateDatabase),
      ("database_pooler", databasePooler == start.databasePooler), ("state_dir", stateFolder == start.stateFolder),
      ("sockets", sockets == start.sockets), ("threads", eventLoopThreads == start.eventLoopThreads),
    ].filter { !$0.1 }.map(\.0)
  }

  /// Half the processors: the other half is PostgreSQL's.
  static func defaultEventLoopThreads(in surroundings: Surroundings) -> Int {
    max(1, surroundings.processorCount / 2)
  }
}
