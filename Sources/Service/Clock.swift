import Accounts
import Glibc

/// The system's clocks.
public enum Clock {
  /// The time of day.
  @Sendable public static func now() -> Timestamp {
    let time = read(CLOCK_REALTIME)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// For durations: never set back.
  static func monotonicNanoseconds() -> UInt64 {
    let time = read(CLOCK_MONOTONIC)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
