import Glibc
import Vault

/// Looks at the keyset that a daemon takes. What the keys are stays unsaid.
enum KeysetCheck {
  static let subject = "keyset"

  static func finding(_ keyset: Keyset) -> Finding {
    let primary = keyset.keys.first { $0.state == .primary }.map { "\($0.id)" } ?? ""
    return .ok(
      subject, keyset.keys.count == 1 ? "1 key, \(primary)" : "\(keyset.keys.count) keys, \(primary) is primary")
  }

  /// The finding of a daemon's own file; none where we may not look.
  static func findings(file: String) -> [Finding] {
    guard access(file, R_OK) == 0 else { return [] }
    do throws(KeysetFileError) {
      return [finding(try KeysetFile.read(file))]
    } catch {
      return [.failed(subject, "\(error)", remedy: "restore it from your backup")]
    }
  }
}
