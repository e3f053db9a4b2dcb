import Accounts
import Configuration
import JSONRPC
import Store

/// A configured namespace together with the number under which the database keeps it, once that is known.
final class ServedNamespace: Sendable {
  let settings: NamespaceSettings
  /// Nil until the database has been reached for the first time.
  let number: Int32?

  init(settings: NamespaceSettings, number: Int32?) {
    self.settings = settings
    self.number = number
  }

  var namespace: Namespace { settings.namespace }
}

/// The namespaces that one caller may use.
struct ServedNamespaces: Sendable {
  private let byProvider: [(provider: ExactText, namespaces: [ServedNamespace])]
  private let byNumber: [Int32: ServedNamespace]
  private let isComplete: Bool

  init(_ all: [ServedNamespace]) {
    byProvider = Dictionary(grouping: all, by: \.namespace.provider).map { provider, namespaces in
      (ExactText(provider.rawValue), namespaces)
    }
    let numbered = all.compactMap { namespace in namespace.number.map { ($0, namespace) } }
    byNumber = Dictionary(numbered) { first, _ in first }
    isComplete = numbered.count == all.count
  }

  /// By the numbers under which the database keeps them; nil while not all are known.
  var numbered: [Int32: ServedNamespace]? { isComplete ? byNumber : nil }

  private static func unknown(_ path: String) -> RPCError {
    RPCError(
      .namespaceUnknown, hint: "It must stand in namespaces of the configuration, and in those of this caller.",
      details: [.path(path)])
  }

  /// Finds a namespace as parameters name it.
  ///
  /// A namespace that the caller may not use is as unknown as one that is not configured.
  ///
  /// - Parameter path: where the members stand that name it.
  func find(provider: ExactText, tenant: ExactText?, in path: String = "params") throws(RPCError) -> ServedNamespace {
    guard let candidates = byProvider.first(where: { $0.provider == provider })?.namespaces else {
      throw Self.unknown("\(path).provider")
    }
    if let tenant {
      guard let found = candidates.first(where: { $0.namespace.tenant == tenant }) else {
        throw Self.unknown("\(path).tenant")
      }
      return found
    }
    guard candidates.count == 1 else {
      throw RPCError(
        .invalidParams, "The provider has several tenants; the parameter tenant says which.",
        details: [.path("\(path).tenant"), .problem(.missing)])
    }
    return candidates[0]
  }
}
