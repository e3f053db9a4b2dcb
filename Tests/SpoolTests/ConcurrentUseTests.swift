import Accounts
import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Spool

@Suite struct ConcurrentUseTests {
  let trial: SpoolTrial

  init() throws { trial = try SpoolTrial() }

  @Test func `many loops write, keep, remove and deliver at once, and each kept entry comes once`() async throws {
    let spool = try trial.open()
    let sealer = try SpoolTrial.sealer()
    let delivered = Delivered()
    try await RunningLoop.with { loop in
      try await withThrowingTaskGroup { group in
        for writer in 0..<8 {
          group.addTask(executorPreference: loop) {
            for batch in 0..<40 {
              let first = (writer * 40 + batch) * 3
              let entries = try SpoolTrial.entries(first..<(first + 3))
              let file = try await spool.write(entries, by: sealer, on: loop)
              if batch % 4 == 0 {
                try await spool.forceToDisk(file, holding: entries, on: loop)
              } else {
                try await spool.remove(file, on: loop)
              }
            }
          }
        }
        for _ in 0..<4 {
          group.addTask(executorPreference: loop) {
            while delivered.ids.count < 8 * 10 * 3 {
              guard let file = spool.takeOldest(for: SpoolTrial.databaseID) else {
                await Task.yield()
                continue
              }
              let contents = try await spool.contents(of: file, by: sealer, now: SpoolTrial.now, on: loop)
              if file.number % 5 == 0, Bool.random() {
                spool.giveBack(file)
                continue
              }
              delivered.add(contents.entries)
              try await spool.settle(file, contents, on: loop)
              _ = spool.summary
            }
          }
        }
        try await group.waitForAll()
      }
    }
    var expected: [RegistrationID] = []
    for batch in 0..<320 where batch % 40 % 4 == 0 {
      expected += try SpoolTrial.entries((batch * 3)..<(batch * 3 + 3)).map(\.id)
    }
    #expect(delivered.ids.sorted() == expected.sorted())
    #expect(try trial.names() == [])
    #expect(spool.summary == SpoolSummary())
  }

  @Test func `several learn of the database at once`() async throws {
    let spool = try trial.open()
    try await RunningLoop.with { loop in
      try await withThrowingTaskGroup(of: SpoolProblem?.self) { group in
        for _ in 0..<16 {
          group.addTask { try await spool.learn(databaseID: SpoolTrial.databaseID, on: loop) }
        }
        for try await problem in group { #expect(problem == nil) }
      }
    }
    #expect(try trial.names() == ["database"])
  }

  @Test func `writing and removing a file, timed`() throws {
    let spool = try trial.open()
    let sealer = try SpoolTrial.sealer()
    let rounds = 200
    for count in [1, 64] {
      let entries = try SpoolTrial.entries(0..<count)
      let time = try ContinuousClock().measure {
        for _ in 0..<rounds { try spool.remove(spool.write(entries, by: sealer)) }
      }
      // Not compared with a limit: without optimisation, or beside other work, it says nothing.
      print("\(count) entries: written and removed in \(time / rounds)")
    }
  }
}

private final class Delivered: Sendable {
  private let state = Mutex<[RegistrationID]>([])

  var ids: [RegistrationID] { state.withLock { $0 } }

  func add(_ entries: [SpoolEntry]) { state.withLock { $0 += entries.map(\.id) } }
}
