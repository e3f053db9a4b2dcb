import JSONRPC

/// What one worker counts. Workers count for themselves and are added up when somebody asks.
struct Metrics: Sendable {
  /// The upper ends of the buckets of durations, in microseconds: from a lookup among others to one that is stuck.
  static let bucketMicroseconds: [UInt64] = [
    50, 100, 250, 500, 1000, 2500, 5000, 10_000, 50_000, 250_000, 1_000_000, 10_000_000,
  ]

  struct MethodCounts: Sendable {
    var succeeded: UInt64 = 0
    var refused: [ErrorReason: UInt64] = [:]
    var buckets = [UInt64](repeating: 0, count: bucketMicroseconds.count + 1)
    var totalNanoseconds: UInt64 = 0
  }

  private(set) var methods: [MethodCounts]
  var connectionsAccepted: UInt64 = 0
  var connectionsRefused: UInt64 = 0
  var connectionsOpen = 0
  var lastSignInsLeftOut = 0

  init(methodCount: Int) {
    methods = Array(repeating: MethodCounts(), count: methodCount)
  }

  /// Counts a call that has ended.
  ///
  /// - Parameters:
  ///   - reason: why it was refused; nil if it succeeded.
  ///   - since: when it began, on the monotonic clock; nil if its duration says nothing.
  mutating func count(_ method: Int, reason: ErrorReason?, since: UInt64?) {
    if let reason { methods[method].refused[reason, default: 0] += 1 } else { methods[method].succeeded += 1 }
    guard let since else { return }
    let nanoseconds = Clock.monotonicNanoseconds() - since
    methods[method].totalNanoseconds += nanoseconds
    let bucket = Self.bucketMicroseconds.firstIndex { nanoseconds <= $0 * 1000 } ?? Self.bucketMicroseconds.count
    methods[method].buckets[bucket] += 1
  }

  mutating func add(_ other: Metrics) {
    for place in methods.indices {
      methods[place].succeeded += other.methods[place].succeeded
      methods[place].refused.merge(other.methods[place].refused, uniquingKeysWith: +)
      for bucket in methods[place].buckets.indices {
        methods[place].buckets[bucket] += other.methods[place].buckets[bucket]
      }
      methods[place].totalNanoseconds += other.methods[place].totalNanoseconds
    }
    connectionsAccepted += other.connectionsAccepted
    connectionsRefused += other.connectionsRefused
    connectionsOpen += other.connectionsOpen
    lastSignInsLeftOut += other.lastSignInsLeftOut
  }
}
