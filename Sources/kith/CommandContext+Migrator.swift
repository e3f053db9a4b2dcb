import Configuration
import EventLoop
import Migrations
import Postgres
import Terminal

extension CommandContext {
  /// Lends a connection to the database of `--database` or of the configuration.
  func withMigrator<Value: Sendable>(
    _ body: (Migrator) async throws(MigrationError) -> Value
  ) async throws(CommandFailure) -> Value {
    let conninfo = try databaseConninfo()
    let loop = try startLoop(named: "kith-migrate")
    defer { loop.stop() }
    do throws(MigrationError) {
      let migrator = try await Migrator.open(conninfo: conninfo, on: loop)
      do throws(MigrationError) {
        let value = try await body(migrator)
        await migrator.close()
        return value
      } catch {
        await migrator.close()
        throw error
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The loop of a command that goes to PostgreSQL itself; to be stopped.
  func startLoop(named name: String) throws(CommandFailure) -> EventLoop {
    do throws(EventLoopError) {
      let loop = try EventLoop()
      try loop.start(name: name)
      return loop
    } catch {
      throw CommandFailure(.failed, "\(error)")
    }
  }

  /// That of `--database` or of the configuration.
  func databaseConninfo() throws(CommandFailure) -> String {
    if let conninfo = arguments.value(of: .database) {
      guard (try? ConnectionSettings(conninfo: conninfo, applicationName: "kith")) != nil else {
        throw CommandFailure(
          .usage, "--database is no connection string of PostgreSQL",
          hint: "as in --database \"host=/run/postgresql dbname=kith user=kith_owner\"")
      }
      return conninfo
    }
    do throws(ConfigurationError) {
      let source = ConfigurationSource(file: arguments.value(of: .config))
      if let conninfo = try source.migrationDatabase(in: .ofThisProcess()) { return conninfo.text }
    } catch {
      throw CommandFailure(
        .failed, error.problems.first?.description ?? "\(error)",
        hint: "name the database itself with --database \"host=/run/postgresql dbname=kith user=kith_owner\"")
    }
    throw CommandFailure(.failed, "the configuration names no database", hint: "name one with --database")
  }
}

extension CommandFailure {
  /// A migration that was not possible, as a command fails.
  init(_ error: MigrationError) {
    // PostgreSQL's messages may have several lines.
    let words = error.description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    self.init(error.isPassing ? .tryAgain : .failed, words, hint: error.hint)
  }
}

extension MigrationError {
  /// Whether the same command may succeed once the database is back.
  fileprivate var isPassing: Bool {
    switch self {
    case .database(.unavailable), .database(.connectionLost), .database(.commitUnknown), .database(.readOnly): true
    default: false
    }
  }
}
