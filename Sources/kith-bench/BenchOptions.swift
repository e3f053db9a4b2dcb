/// What the command line asks for.
struct BenchOptions {
  /// What can be measured by itself.
  enum Part: String, CaseIterable {
    case calls
    case sealed
    case merges
    case consumers
    /// Sealing itself, starts, and memory.
    case rest
  }

  static let usage = """
    usage: kith-bench [--users N] [--seconds S] [--quick] [--only PART] [--check]

      --users N     users to load, 5000 to 10000000 (default 200000)
      --seconds S   length of one measurement, 0.1 to 60 (default 5)
      --quick       5000 users and half a second: proves that it runs, measures nothing
      --only PART   one part: calls, sealed, merges, consumers, or rest
      --check       exit with 1 when a bound of the table is missed
    """

  private static let usersRange = 5000...10_000_000
  private static let secondsRange = 0.1...60.0

  var users = 200_000
  var seconds = 5.0
  var isQuick = false
  /// What is measured; everything if it is nil.
  var only: Part?
  var checks = false
  var wantsHelp = false

  init(_ words: [String]) throws(BenchFailure) {
    var rest = words[...]
    if rest.contains("--quick") { (users, seconds, isQuick) = (5000, 0.5, true) }
    while let word = rest.popFirst() {
      switch word {
      case "--quick": break
      case "--check": checks = true
      case "--help", "-h": wantsHelp = true
      case "--only":
        only = rest.popFirst().flatMap { Part(rawValue: $0) }
        guard only != nil else {
          throw BenchFailure("--only takes one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
        }
      case "--users": users = try Self.value(of: word, rest.popFirst().flatMap { Int($0) }, in: Self.usersRange)
      case "--seconds":
        seconds = try Self.value(of: word, rest.popFirst().flatMap { Double($0) }, in: Self.secondsRange)
      default: throw BenchFailure("unknown option \(word)\n\(Self.usage)")
      }
    }
  }

  func measures(_ part: Part) -> Bool { only == nil || only == part }

  private static func value<Number>(
    of option: String, _ number: Number?, in range: ClosedRange<Number>
  ) throws(BenchFailure) -> Number {
    guard let number, range.contains(number) else {
      throw BenchFailure("\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Simultaneous clients of the sweep.
  var clientCounts: [Int] { isQuick ? [1, 32] : [1, 2, 4, 8, 16, 32] }
  /// How often the one-client latencies are paired, and for how long each.
  var latencyRounds: Int { isQuick ? 1 : 5 }
  var latencySeconds: Double { min(seconds, 2) }
  /// How often the best of both is measured again, one after the other.
  var ratioRounds: Int { isQuick ? 1 : 3 }
  /// Couples that one client merges, and that each of many does.
  var couples: Int { Int(seconds * 160) }
  var couplesEach: Int { Int(seconds * 60) }
  var startRounds: Int { isQuick ? 1 : 5 }
  var idleConnections: Int { 1000 }
}
