import Accounts

/// A provider as it is configured.
public struct NamespaceShape: Shape, Equatable {
  public static let title = "Namespace"

  public var provider: ExactText = ""
  public var tenant: ExactText = ""
  public var trustEmail = false

  public init() {}

  public init(provider: ExactText, tenant: ExactText, trustEmail: Bool) {
    self.provider = provider
    self.tenant = tenant
    self.trustEmail = trustEmail
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("provider", &provider, .provider, "The provider.")
    try visitor.member("tenant", &tenant, .tenant, "The team or client id.")
    try visitor.member("trust_email", &trustEmail, "Whether its word that an address is verified counts.")
  }
}
