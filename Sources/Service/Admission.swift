import Synchronization

/// Counts the connections of each uid, over all workers.
final class Admission: Sendable {
  /// Connections over the limit that are kept open to be told so; those beyond are closed without a word.
  private static let refusedMax = 64

  private let counts = Mutex<[UInt32: Int]>([:])

  enum Verdict {
    case welcome
    case overLimit
    case farOverLimit
  }

  /// Counts a new connection, unless it is far over the limit.
  func enter(_ uid: UInt32, max: Int) -> Verdict {
    counts.withLock { counts in
      let count = counts[uid, default: 0]
      guard count < max + Self.refusedMax else { return .farOverLimit }
      counts[uid] = count + 1
      return count < max ? .welcome : .overLimit
    }
  }

  func leave(_ uid: UInt32) {
    counts.withLock { counts in
      let count = counts[uid, default: 1] - 1
      counts[uid] = count > 0 ? count : nil
    }
  }
}
