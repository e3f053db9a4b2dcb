import EmbeddedPostgres
import Synchronization

typealias EmbeddedRole = EmbeddedPostgres.Role

/// Remembers what it was told, from any thread.
final class Recorder: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock(\.self) }

  func record(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}
