import Accounts
import Crypto
import Synchronization
import Vault

/// Keys, places and randomness of which a test knows every byte.
enum Trial {
  static let databaseID = UniqueID(high: 0x01a2_2b08_8821_7000, low: 0x8000_0000_0000_00db)
  static let userID = UserID(UniqueID(high: 0x01a2_2b08_8821_79a7, low: 0x80b7_739f_a98b_61cf))

  static func id(_ text: String) throws -> KeyID {
    guard let id = KeyID(text) else { throw SealingError.invalid }
    return id
  }

  /// 32 bytes that count up from the first.
  static func key(_ first: UInt8) -> SecretBytes {
    SecretBytes(copying: (0..<32).map { first &+ $0 })
  }

  /// The keyset of one key `k1`.
  static func keyset() throws -> Keyset {
    try Keyset(first: id("k1"), key(0x80))
  }

  static func ring(_ keyset: Keyset) throws -> KeyRing {
    try KeyRing(keyset, random: .system)
  }

  static func context(
    _ domain: SealingContext.Domain = .credential, accessGroup: ExactText = "web",
    account: ExactText = "mira@example.org", service: ExactText = "example.net", userID: UserID? = userID,
    record: UInt64 = 1, version: Int64 = 7, databaseID: UniqueID = databaseID
  ) -> SealingContext {
    SealingContext(
      domain: domain, accessGroup: accessGroup, account: account, service: service, userID: userID,
      recordID: UniqueID(high: 0x01a2_2b08_8821_718d, low: 0xb781_0000_0000_0000 | record), recordVersion: version,
      databaseID: databaseID)
  }

  static func secret(_ text: String) -> SecretBytes {
    SecretBytes(copying: text.utf8)
  }

  /// Gives 0, 1, 2, … over all calls.
  static func countingRandom() -> RandomSource {
    let next = Mutex<UInt8>(0)
    return RandomSource { buffer in
      next.withLock { next in
        for position in buffer.indices {
          buffer[position] = next
          next &+= 1
        }
      }
      return true
    }
  }
}
