import Accounts
import UnixSocket

/// What one peer may do, worked out once for a configuration.
final class Access: Sendable {
  let caller: Caller
  let peer: PeerCredentials
  let namespaces: ServedNamespaces
  /// By the methods' places in the table.
  private let allowedMethods: [Bool]

  init(_ caller: Caller, peer: PeerCredentials, methods: [StaticString], namespaces: [ServedNamespace]) {
    self.caller = caller
    self.peer = peer
    self.namespaces = ServedNamespaces(namespaces.filter { caller.allows(namespace: $0.namespace) })
    allowedMethods = methods.map { caller.allows(method: $0.description) }
  }

  func allows(methodAt place: Int) -> Bool { allowedMethods[place] }
}
