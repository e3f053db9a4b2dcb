/// What the configuration says of one namespace, as far as decisions need it.
public struct NamespaceSettings: Hashable, Sendable {
  public let namespace: Namespace

  /// Whether the provider's word that an address is verified counts.
  public let trustsEmail: Bool

  /// - Parameter trustsEmail: nil for ``Provider/trustsEmailByDefault``.
  public init(_ namespace: Namespace, trustsEmail: Bool? = nil) {
    self.namespace = namespace
    self.trustsEmail = trustsEmail ?? namespace.provider.trustsEmailByDefault
  }
}
