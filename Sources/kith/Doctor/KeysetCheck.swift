import Configuration
import Crypto
import Vault

/// Looks whether a keyset is one that the daemon takes. What the keys are stays unsaid.
enum KeysetCheck {
  static func finding(_ keyset: Secret) -> Finding {
    do throws(KeysetError) {
      _ = try Keyset(reading: SecretBytes(copying: keyset.revealedBytes))
      return .ok("keyset", "one primary key")
    } catch {
      return .failed("keyset", "\(error)", remedy: "restore it from your backup")
    }
  }
}
