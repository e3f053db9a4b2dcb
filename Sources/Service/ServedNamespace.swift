import Accounts
import Configuration
import JSONRPC
import Store

/// A configured namespace together with the number under which the database keeps it.
struct ServedNamespace: Sendable {
  let settings: NamespaceSettings
  let number: Int32
  /// The provider as parameters name it.
  let provider: ExactText

  init(settings: NamespaceSettings, number: Int32) {
    self.settings = settings
    self.number = number
    provider = ExactText(settings.namespace.provider.rawValue)
  }

  var namespace: Namespace { settings.namespace }
}

/// The namespaces that one caller may use.
struct ServedNamespaces: Sendable {
  private let all: [ServedNamespace]

  init(_ all: [ServedNamespace]) {
    self.all = all
  }

  /// Finds a namespace as parameters name it.
  ///
  /// A namespace that the caller may not use is as unknown as one that is not configured.
  func find(provider: ExactText, tenant: ExactText?) throws(RPCError) -> ServedNamespace {
    var found: ServedNamespace?
    for candidate in all where candidate.provider == provider {
      if let tenant, candidate.namespace.tenant != tenant { continue }
      guard found == nil else {
        throw RPCError(
          .invalidParams, "The provider has several tenants; the parameter tenant says which.",
          details: [.path("params.tenant"), .problem(.missing)])
      }
      found = candidate
    }
    guard let found else { throw RPCError(.namespaceUnknown) }
    return found
  }
}
