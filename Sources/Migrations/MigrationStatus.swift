import Schema

/// Where a database stands against the schema of this binary.
public struct MigrationStatus: Sendable {
  /// One migration that the binary, the database or both know.
  public struct Entry: Sendable {
    public enum State: String, Sendable {
      case applied
      case pending
      /// Applied with another text than the binary's.
      case changed
      /// Applied by a newer binary.
      case unknown
    }

    public let version: Int
    public let name: String
    public let state: State
    /// Microseconds since 1970; nil while pending.
    public let appliedAtMicroseconds: Int64?
  }

  /// In order of version.
  public let migrations: [Entry]
  /// Scripts of functions that are not applied with the binary's text.
  public let outdatedFunctions: [String]

  /// The highest version applied; zero for an empty database.
  public var databaseVersion: Int {
    migrations.last { $0.state != .pending }?.version ?? 0
  }

  /// The version that the binary serves.
  public var binaryVersion: Int { Schema.version }

  /// Whether there is nothing to do.
  public var isCurrent: Bool {
    migrations.allSatisfy { $0.state == .applied } && outdatedFunctions.isEmpty
  }

  /// Throws what no migration can mend.
  public func check() throws(MigrationError) {
    if migrations.contains(where: { $0.state == .unknown }) {
      throw .databaseIsNewer(databaseVersion: databaseVersion, binaryVersion: binaryVersion)
    }
    if let changed = migrations.first(where: { $0.state == .changed }) {
      throw .changed(version: changed.version, name: changed.name)
    }
  }
}
