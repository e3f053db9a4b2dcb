/// Where a provider's ids are unique: `apple:<team id>`, `linkedin:<client id>`, `naver:<client id>`, `password:<name>`.
public struct Namespace: Hashable, Sendable {
  public let provider: Provider
  public let tenant: ExactText

  /// Tenants are ids of teams and client applications, which are short; the limit keeps database keys small.
  public static let tenantBytesMax = 255

  /// Fails when the tenant is empty or longer than ``tenantBytesMax``.
  public init?(_ provider: Provider, tenant: ExactText) {
    guard (1...Self.tenantBytesMax).contains(tenant.byteCount) else { return nil }
    self.provider = provider
    self.tenant = tenant
  }
}

extension Namespace: LosslessStringConvertible {
  /// Reads `provider:tenant`; the tenant may itself have colons.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let provider = Provider(exactly: Substring(parts[0])) else { return nil }
    self.init(provider, tenant: ExactText(String(Substring(parts[1]))))
  }

  public var description: String { "\(provider.rawValue):\(tenant)" }
}

extension Provider {
  /// The provider whose wire name has these very bytes.
  init?(exactly name: Substring) {
    guard let provider = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
    self = provider
  }
}
