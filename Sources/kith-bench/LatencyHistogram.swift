/// Counts durations in buckets that grow with them, each exact to 1/64.
struct LatencyHistogram {
  private static let stepsBits = 6
  private static let steps = 1 << stepsBits

  private var counts = [Int](repeating: 0, count: (64 - stepsBits) * steps)
  private(set) var count = 0

  mutating func add(nanoseconds: Int) {
    counts[Self.bucket(of: max(nanoseconds, 0))] += 1
    count += 1
  }

  /// The duration that a share of all did not exceed, in microseconds.
  func microseconds(at share: Double) -> Double {
    var left = Int((Double(count) * share).rounded(.up))
    for (bucket, here) in counts.enumerated() {
      left -= here
      if left <= 0, here > 0 { return Double(Self.middle(of: bucket)) / 1000 }
    }
    return 0
  }

  private static func bucket(of value: Int) -> Int {
    let shift = max(0, Int.bitWidth - value.leadingZeroBitCount - stepsBits - 1)
    return shift * steps + value >> shift
  }

  private static func middle(of bucket: Int) -> Int {
    guard bucket >= 2 * steps else { return bucket }
    let shift = bucket / steps - 1
    return (bucket - shift * steps) << shift + 1 << (shift - 1)
  }
}
