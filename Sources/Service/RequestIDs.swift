import Accounts

/// Makes the ids under which calls are found in the journal: a part that is random for each start of the daemon and each
/// loop, and a number that counts.
struct RequestIDs {
  private let prefix: String
  private var count: UInt64 = 0

  init(random: UInt64) {
    let digits = String(random & 0xFF_FFFF_FFFF, radix: 32)
    prefix = String(repeating: "0", count: 8 - digits.count) + digits + "-"
  }

  mutating func next() -> String {
    count += 1
    return prefix + String(count, radix: 32)
  }
}
