import Postgres

/// How PostgreSQL is reached.
public struct Databases: Sendable {
  public let main: ConnectionSettings
  /// A hot standby for reads that may lag a little.
  public let standby: ConnectionSettings?

  public init(main: ConnectionSettings, standby: ConnectionSettings?) {
    self.main = main
    self.standby = standby
  }
}
