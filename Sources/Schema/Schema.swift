import CSchema

/// The database schema that this binary was made for: the scripts under `sql/`, carried inside it.
public enum Schema {
  /// A file of SQL statements.
  public struct Script: Sendable {
    /// The file's name without folder and extension; of a migration without its number.
    public let name: String
    public let text: String
  }

  /// A step from one version of the schema to the next. Frozen once released.
  public struct Migration: Sendable {
    /// Counts from one, without a gap.
    public let version: Int
    public let script: Script
  }

  /// Makes the roles; to be run by somebody who may.
  public static let roles = first(KITH_SCRIPT_ROLES)

  /// Makes the tables in which is recorded what was applied.
  public static let bookkeeping = first(KITH_SCRIPT_BOOKKEEPING)

  /// All migrations in order.
  public static let migrations = scripts(KITH_SCRIPT_MIGRATION).enumerated().map { position, script in
    // The file's name opens with the version in four digits and an underscore.
    Migration(version: position + 1, script: Script(name: String(script.name.dropFirst(5)), text: script.text))
  }

  /// Scripts that replace functions, applied again whenever their text changes.
  public static let functions = scripts(KITH_SCRIPT_FUNCTIONS)

  /// The version that a database must have to be served.
  public static let version = migrations.count

  private static func scripts(_ kind: kith_script_kind) -> [Script] {
    (0..<kith_script_count()).map(kith_script).filter { $0.kind == kind }.map { script in
      Script(
        name: String(cString: script.name),
        text: String(decoding: UnsafeBufferPointer(start: script.text, count: script.count), as: UTF8.self))
    }
  }

  private static func first(_ kind: kith_script_kind) -> Script {
    scripts(kind)[0]
  }
}
