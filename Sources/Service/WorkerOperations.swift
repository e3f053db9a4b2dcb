import EventLoop
import Operations
import Postgres

/// A worker's share of the database and the operations that use it.
///
/// `@unchecked Sendable`: it belongs to its worker's loop and is touched on that loop's thread only.
final class WorkerOperations: @unchecked Sendable {
  /// One PostgreSQL process for lookups keeps up with a loop; the second serves while the first is planning or waiting.
  private static let readConnections = 2
  /// Two batches of sign-ins, and room for changes by administrators and for what is written in the background.
  private static let writeConnections = 4

  let reads: Pool
  let writes: Pool
  let resolveSignIn: ResolveSignIn
  let lastSignIns: LastSignIns

  init(
    on loop: EventLoop, database: ConnectionSettings, circumstances: Circumstances, challengeSeconds: Double
  ) {
    reads = Pool(database, size: Self.readConnections, on: loop)
    writes = Pool(database, size: Self.writeConnections, on: loop)
    lastSignIns = LastSignIns(on: loop, to: writes)
    resolveSignIn = ResolveSignIn(
      on: loop, reads: reads, writes: writes, lastSignIns: lastSignIns, circumstances: circumstances,
      challengeSeconds: challengeSeconds)
  }

  func start() {
    reads.start()
    writes.start()
  }

  func stop() async {
    await lastSignIns.writeEverything()
    reads.close()
    writes.close()
  }
}
