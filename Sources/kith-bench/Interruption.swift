import Glibc
import Synchronization

/// Ctrl-C and SIGTERM: whatever runs ends at its next wait, so that processes and folders are cleared away.
enum Interruption {
  private static let wasAsked = Atomic<Bool>(false)

  static func listen() {
    // Touched before a handler may need it: making it inside one would not be safe.
    wasAsked.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.wasAsked.store(true, ordering: .relaxed) }
    }
    signal(SIGPIPE, SIG_IGN)
  }

  static func check() throws(BenchFailure) {
    if wasAsked.load(ordering: .relaxed) { throw BenchFailure("interrupted") }
  }
}
