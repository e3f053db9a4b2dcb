import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// Sign-in, linking and merging against a model that does one call after the other: whatever the clients of two daemons do at
/// once, there is an order in which the model gives the same answers, and ends with the same users.
struct ModelTests {
  /// Worlds at a time, each with the connections of its clients.
  private static let worldsAtOnce = 16

  /// What fits into every run, or more, for long ones.
  private static let operations = number("KITH_MODEL_OPERATIONS") ?? 8_000
  private static let seed = number("KITH_MODEL_SEED") ?? 1
  /// To run one world alone that failed among others.
  private static let world = number("KITH_MODEL_WORLD")

  /// What has to come about in every run for it to mean something, by methods.
  private static let answers: [String: [String]] = [
    "signin.resolve": [
      "registered", "linked", "signed_in", "link_required", "registration_held", "not_found", "user_disabled",
    ],
    "registration.complete": ["registered"],
    "link.confirm": ["linked", "challenge_used", "challenge_mismatch"],
    "identity.link": ["ok", "identity_linked_elsewhere", "user_disabled"],
    "identity.unlink": ["ok", "not_found", "last_sign_in_method"],
    "email.add": ["ok", "email_taken", "user_disabled"],
    "email.verify": ["ok", "proof_rejected", "challenge_used"],
    "email.remove": ["ok", "not_found"],
    "merge.plan": ["ok", "invalid_params"],
    "merge.run": ["ok", "plan_stale"],
    "merge.undo": ["ok"],
    "user.erase": ["ok"],
  ].reduce(into: [:]) { all, method in all[method.key] = method.value.map { "\(method.key) \($0)" } }

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
  }

  private struct Found: Error, Sendable {
    let world: Int
    let script: Script
    let failure: OrderSearch.Failure
  }

  @Test func `every answer is that of one order of all calls, and so is what is left in the end`() async throws {
    var settings = TestService.Settings(callers: [
      TestService.caller(more: ", may_authenticate: true, may_see_owners: true")
    ])
    settings.threads = 2
    try await TestService.with(settings, count: 2) { services, database in
      let trial = try await Trial(services)
      let worlds = Self.world.map { $0...$0 } ?? 1...max(1, Self.operations / ScriptMaker.operations)
      if let found = try await trial.firstFailure(in: worlds, seed: Self.seed) {
        var shrinking = Shrinking(found.script, found.failure) { script, worlds in
          try await trial.failure(of: script, worlds: worlds)
        }
        try await shrinking.shrink()
        Issue.record(
          """
          KITH_MODEL_SEED=\(Self.seed) KITH_MODEL_WORLD=\(found.world)
          \(shrinking.script)

          \(shrinking.failure)
          """)
        return
      }
      let missing = trial.methods.flatMap { Self.answers[$0] ?? [] }.filter { trial.answers[$0] == nil }
      #expect(Self.world != nil || missing.isEmpty, "too little came about; answers: \(trial.answers)")
      let stored = try await database.texts("select id::text from kith.users")
      #expect(Set(stored) == trial.userIDs, "somebody is a user of whom nobody was told")
      #expect(
        try await database.count("select deadlocks::text from pg_stat_database where datname = current_database()") == 0
      )
      // Without the index, or planned without statistics, looking up something of each user takes a quadratic time.
      try await database.script("create index model_looks_by_user on kith.events (user_id); analyze")
      try await database.expectConsistency("seed \(Self.seed)")
    }
  }

  /// The daemons, the connections to them, and the worlds that ran.
  private final class Trial: Sendable {
    private struct State {
      var worldsMade = 0
      var userIDs: Set<String> = []
      var answers: [String: Int] = [:]
      var found: Found?
    }

    private let services: [TestService]
    let methods: Set<String>
    private let maker: ScriptMaker
    private let state = Mutex(State())

    init(_ services: [TestService]) async throws {
      self.services = services
      let peer = try services[0].connect()
      defer { peer.close() }
      let served = try await peer.call("rpc.discover").result?["methods"]?.elements ?? []
      methods = Set(served.compactMap { $0["name"]?.string })
      maker = ScriptMaker(methods: methods)
    }

    /// How often each method was answered by each word.
    var answers: [String: Int] { state.withLock(\.answers) }

    var userIDs: Set<String> { state.withLock(\.userIDs) }

    /// The first world whose answers no order explains.
    func firstFailure(in worlds: ClosedRange<Int>, seed: Int) async throws -> Found? {
      try await withThrowingTaskGroup { group in
        for lane in 0..<ModelTests.worldsAtOnce {
          group.addTask { [self] in
            try await withPeers { peers in
              for world in worlds where world % ModelTests.worldsAtOnce == lane && state.withLock({ $0.found == nil }) {
                var random = SeededRandom(seed: UInt64(seed) << 32 | UInt64(world))
                let script = maker.script(&random)
                if let failure = try await failure(of: script, over: peers) {
                  state.withLock { $0.found = $0.found ?? Found(world: world, script: script, failure: failure) }
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      return state.withLock(\.found)
    }

    /// Runs a script in several new worlds at once; nil where all is explained in each.
    func failure(of script: Script, worlds: Int) async throws -> OrderSearch.Failure? {
      try await withThrowingTaskGroup { group in
        for _ in 0..<worlds {
          group.addTask { [self] in try await withPeers { try await failure(of: script, over: $0) } }
        }
        return try await group.reduce(nil) { $0 ?? $1 }
      }
    }

    private func failure(of script: Script, over peers: [TestPeer]) async throws -> OrderSearch.Failure? {
      let number = state.withLock { state in
        state.worldsMade += 1
        return state.worldsMade
      }
      let world = World(number: number)
      let history = try await world.run(script, over: peers)
      state.withLock { state in
        state.userIDs.formUnion(world.userIDs)
        for event in history.events { state.answers["\(event.call.method) \(event.answer.word)", default: 0] += 1 }
      }
      do throws(OrderSearch.Failure) {
        _ = try OrderSearch.find(history)
        return nil
      } catch {
        return error
      }
    }

    private func withPeers<Value>(_ body: ([TestPeer]) async throws -> Value) async throws -> Value {
      let peers = try (0..<ScriptMaker.clients).map { try services[$0 % services.count].connect() }
      defer { for peer in peers { peer.close() } }
      return try await body(peers)
    }
  }
}
