import Accounts
import Configuration
import JSONRPC
import Store

/// A configured namespace together with the number under which the database keeps it.
struct ServedNamespace: Sendable {
  let settings: NamespaceSettings
  let number: Int32

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
    let ofProvider = all.filter { $0.namespace.provider.rawValue.utf8.elementsEqual(provider.string.utf8) }
    guard let tenant else {
      guard ofProvider.count <= 1 else {
        throw RPCError(
          .invalidParams, "The provider has several tenants; the parameter tenant says which.",
          details: [.path("params.tenant"), .problem(.missing)])
      }
      return try Self.known(ofProvider.first)
    }
    return try Self.known(ofProvider.first { $0.namespace.tenant == tenant })
  }

  private static func known(_ namespace: ServedNamespace?) throws(RPCError) -> ServedNamespace {
    guard let namespace else { throw RPCError(.namespaceUnknown) }
    return namespace
  }
}
