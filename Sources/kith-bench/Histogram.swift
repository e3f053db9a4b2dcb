/// Counts durations in buckets that are each 1/32 of their size wide, so that any percentile is right to 3 %.
struct Histogram {
  private static let subBuckets = 32
  private var counts = [Int](repeating: 0, count: 64 * subBuckets)
  private(set) var count = 0

  mutating func add(nanoseconds: UInt64) {
    counts[Self.bucket(of: nanoseconds)] += 1
    count += 1
  }

  /// The duration that a share of all does not exceed, in microseconds.
  func microseconds(percentile: Double) -> Double {
    guard count > 0 else { return 0 }
    var left = Int((Double(count) * percentile / 100).rounded(.up))
    for (bucket, number) in counts.enumerated() {
      left -= number
      if left <= 0 { return Double(Self.upperEnd(of: bucket)) / 1000 }
    }
    return 0
  }

  private static func bucket(of value: UInt64) -> Int {
    guard value >= UInt64(subBuckets) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    let shift = exponent - 5
    return shift * subBuckets + Int(value >> UInt64(shift))
  }

  private static func upperEnd(of bucket: Int) -> UInt64 {
    guard bucket >= subBuckets else { return UInt64(bucket) }
    let shift = bucket / subBuckets - 1
    return UInt64(bucket - shift * subBuckets + 1) << UInt64(shift)
  }
}
