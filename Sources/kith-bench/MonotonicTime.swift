import Glibc

/// Nanoseconds of clocks that never jump.
enum MonotonicTime {
  static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Processor time of the calling thread.
  static func processorNanosecondsOfThread() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  static func seconds() -> Double { Double(nanoseconds()) / 1e9 }
}
