/// Finds a smaller script that fails as well: parts are left out, and clients made one, as long as it still fails.
///
/// A script that fails only by a race is tried in many worlds before it counts as passing, one that always fails in few.
struct Shrinking {
  /// In how many worlds at once a script is tried, and how often, before it counts as passing.
  private struct Patience {
    let worlds: Int
    let tries: Int

    static let steady = Patience(worlds: 2, tries: 1)
    static let racing = Patience(worlds: 16, tries: 3)
  }

  /// Failing so often, one after the other, a script fails always.
  private static let steadyRuns = 3
  /// Of all scripts together, so that it ends.
  private static let runsMax = 300

  /// Runs a script in so many worlds at once.
  private let fails: (Script, Int) async throws -> OrderSearch.Failure?
  private var patience = Patience.racing
  private var runs = 0
  private(set) var script: Script
  private(set) var failure: OrderSearch.Failure

  init(
    _ script: Script, _ failure: OrderSearch.Failure,
    fails: @escaping (Script, Int) async throws -> OrderSearch.Failure?
  ) {
    self.script = script
    self.failure = failure
    self.fails = fails
  }

  mutating func shrink() async throws {
    var failures = 0
    while failures < Self.steadyRuns, try await fails(script, 1) != nil { failures += 1 }
    patience = failures == Self.steadyRuns ? .steady : .racing
    var size = script.steps.count / 2
    while size > 0, runs < Self.runsMax {
      try await leaveOut(size)
      size /= 2
    }
    try await joinClients()
    try await leaveOut(1)
  }

  private mutating func leaveOut(_ size: Int) async throws {
    var start = 0
    while start < script.steps.count, runs < Self.runsMax {
      var smaller = script
      smaller.steps.removeSubrange(start..<min(start + size, smaller.steps.count))
      if try await !take(smaller) { start += size }
    }
  }

  private mutating func joinClients() async throws {
    for client in Set(script.steps.map(\.client)).sorted().dropFirst().reversed() {
      for other in 0..<client {
        var joined = script
        for place in joined.steps.indices where joined.steps[place].client == client {
          joined.steps[place].client = other
        }
        if try await take(joined) { break }
      }
    }
  }

  /// Goes on from a script if it fails too.
  private mutating func take(_ candidate: Script) async throws -> Bool {
    guard !candidate.steps.isEmpty else { return false }
    for _ in 0..<patience.tries where runs < Self.runsMax {
      runs += 1
      if let failure = try await fails(candidate, patience.worlds) {
        script = candidate
        self.failure = failure
        return true
      }
    }
    return false
  }
}
