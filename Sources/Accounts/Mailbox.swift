/// The mailbox that an address leads to, as far as that is known: what a person adds to an address of theirs does not count.
///
/// `kith.mailbox` in the database says the same.
public struct Mailbox: Hashable, Sendable {
  public let address: ExactText

  private static let relayDomain: ExactText = "privaterelay.appleid.com"
  /// Where it is known that dots do not count, and that both are one.
  private static let dotlessDomains: [ExactText] = ["gmail.com", "googlemail.com"]

  public init(ofCanonical canonical: ExactText) {
    let parts = Self.parts(of: canonical)
    let isDotless = Self.dotlessDomains.contains(parts.domain)
    var local = parts.local
    if let plus = local.firstIndex(of: UInt8(ascii: "+")), isDotless || plus > local.startIndex {
      local = Array(local[..<plus])
    }
    if isDotless { local.removeAll { $0 == UInt8(ascii: ".") } }
    address = ExactText("\(String(decoding: local, as: UTF8.self))@\(isDotless ? "gmail.com" : parts.domain)")
  }

  /// Whether Apple made the address up to hide the person's own.
  public static func isRelay(canonical: ExactText) -> Bool { parts(of: canonical).domain == relayDomain }

  private static func parts(of canonical: ExactText) -> (local: [UInt8], domain: ExactText) {
    let parts = canonical.string.utf8.split(
      separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
    return (
      Array(parts.first ?? ""[...].utf8), ExactText(parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : "")
    )
  }
}
