import Accounts
import Foundation
import Synchronization
import Testing

@testable import Spool

/// Processes that are killed between any two steps.
@Suite struct KilledProcessTests {
  let trial: SpoolTrial

  init() throws { trial = try SpoolTrial() }

  @Test func `what was written is delivered by the next process, although it was not forced to the disk`() async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String] in
      let spool = try Spool(folder: folder)
      _ = try spool.write(SpoolTrial.entries(0..<64), by: SpoolTrial.sealer())
      kill(getpid(), SIGKILL)
    }
    let spool = try trial.open()
    #expect(spool.summary.entries == 64)
    #expect(try spool.deliverAll().entries == SpoolTrial.entries(0..<64))
    #expect(try trial.names() == [])
  }

  @Test func `what was kept is delivered by the next process, and what was removed is not`() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String] in
      let spool = try Spool(folder: folder)
      let kept = try SpoolTrial.entries(0..<2)
      let file = try spool.write(kept, by: SpoolTrial.sealer())
      try spool.remove(spool.write(SpoolTrial.entries(2..<4), by: SpoolTrial.sealer()))
      try spool.forceToDisk(file, holding: kept)
      _ = try spool.learn(databaseID: SpoolTrial.databaseID)
      kill(getpid(), SIGKILL)
    }
    let spool = try trial.open()
    #expect(spool.databaseID == SpoolTrial.databaseID)
    #expect(try spool.deliverAll().entries == SpoolTrial.entries(0..<2))
  }

  @Test func `what was delivered but not settled is delivered again, under the same ids`() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String] in
      let spool = try Spool(folder: folder)
      let entries = try SpoolTrial.entries(0..<2)
      let file = try spool.write(entries, by: SpoolTrial.sealer())
      try spool.forceToDisk(file, holding: entries)
      guard let taken = spool.takeOldest(for: SpoolTrial.databaseID) else { exit(9) }
      _ = try spool.contents(of: taken, by: SpoolTrial.sealer(), now: SpoolTrial.now)
      kill(getpid(), SIGKILL)
    }
    #expect(try trial.open().deliverAll().entries.map(\.id) == SpoolTrial.entries(0..<2).map(\.id))
  }

  @Test(arguments: [1, 2, 5, 17, 60])
  func `a process that is killed at any moment leaves whole entries`(_ files: Int) async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = trial.folder as String, files = files as Int] in
      let spool = try Spool(folder: folder)
      let sealer = try SpoolTrial.sealer()
      let entries = try (0..<64).map { try SpoolTrial.entry($0, claims: String(repeating: "x", count: 16_384)) }
      let written = Count()
      Thread.detachNewThread {
        while let file = try? spool.write(entries, by: sealer) {
          written.add()
          try? spool.remove(file)
        }
      }
      while written.value < files { sched_yield() }
      kill(getpid(), SIGKILL)
    }
    let delivered = try trial.open().deliverAll()
    #expect(delivered.entries.map(\.id) == (try SpoolTrial.entries(0..<delivered.entries.count).map(\.id)))
    let torn = delivered.problems.allSatisfy { if case .torn = $0.kind { true } else { false } }
    #expect(torn && delivered.problems.count <= 1, "\(delivered.problems)")
    #expect(try trial.names() == [])
  }
}

private final class Count: Sendable {
  private let state = Mutex(0)

  var value: Int { state.withLock { $0 } }

  func add() { state.withLock { $0 += 1 } }
}
