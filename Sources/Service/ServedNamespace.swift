import Accounts
import Configuration
import JSONRPC
import Store

/// A configured namespace together with the number under which the database keeps it.
final class ServedNamespace: Sendable {
  let settings: NamespaceSettings
  let number: Int32

  init(settings: NamespaceSettings, number: Int32) {
    self.settings = settings
    self.number = number
  }

  var namespace: Namespace { settings.namespace }
}

/// The namespaces that one caller may use.
struct ServedNamespaces: Sendable {
  private let byProvider: [(provider: ExactText, namespaces: [ServedNamespace])]
  let byNumber: [Int32: ServedNamespace]

  init(_ all: [ServedNamespace]) {
    byProvider = Dictionary(grouping: all, by: \.namespace.provider).map { provider, namespaces in
      (ExactText(provider.rawValue), namespaces)
    }
    byNumber = Dictionary(all.map { ($0.number, $0) }) { first, _ in first }
  }

  private static func unknown(_ parameter: String) -> RPCError {
    RPCError(
      .namespaceUnknown, hint: "It must stand in namespaces of the configuration, and in those of this caller.",
      details: [.path("params.\(parameter)")])
  }

  /// Finds a namespace as parameters name it.
  ///
  /// A namespace that the caller may not use is as unknown as one that is not configured.
  func find(provider: ExactText, tenant: ExactText?) throws(RPCError) -> ServedNamespace {
    guard let candidates = byProvider.first(where: { $0.provider == provider })?.namespaces else {
      throw Self.unknown("provider")
    }
    if let tenant {
      guard let found = candidates.first(where: { $0.namespace.tenant == tenant }) else {
        throw Self.unknown("tenant")
      }
      return found
    }
    guard candidates.count == 1 else {
      throw RPCError(
        .invalidParams, "The provider has several tenants; the parameter tenant says which.",
        details: [.path("params.tenant"), .problem(.missing)])
    }
    return candidates[0]
  }
}
