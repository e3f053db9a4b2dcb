/// What the process at the other end of a socket may do, by configuration.
public struct Caller: Hashable, Sendable {
  public let name: CallerName
  public let methods: [MethodPattern]
  public let namespaces: [NamespacePattern]
  public let accessGroups: AccessGroups
  public let sockets: Set<SocketRole>

  /// Whether it may say who somebody is on its own word: `signin.resolve` and claims in `identity.link`.
  public let mayAssert: Bool

  /// Whether its word that a user is signed in counts as a proof.
  public let mayAuthenticate: Bool

  /// Whether it is told whose an identity is that belongs to somebody else.
  public let maySeeOwners: Bool

  public init(
    name: CallerName, methods: [MethodPattern], namespaces: [NamespacePattern] = [],
    accessGroups: AccessGroups = AccessGroups([]),
    sockets: Set<SocketRole> = [.app, .admin], mayAssert: Bool = false, mayAuthenticate: Bool = false,
    maySeeOwners: Bool = false
  ) {
    self.name = name
    self.methods = methods
    self.namespaces = namespaces
    self.accessGroups = accessGroups
    self.sockets = sockets
    self.mayAssert = mayAssert
    self.mayAuthenticate = mayAuthenticate
    self.maySeeOwners = maySeeOwners
  }

  /// The one method that takes the caller's own word for who somebody is, whatever ``methods`` says.
  private static let assertingMethod: ExactText = "signin.resolve"

  public func allows(method: String) -> Bool {
    guard mayAssert || ExactText(method) != Self.assertingMethod else { return false }
    return methods.contains { $0.matches(method) }
  }

  public func allows(accessGroup: ExactText) -> Bool { accessGroups.contains(accessGroup) }

  public func allows(namespace: Namespace) -> Bool {
    namespaces.contains { $0.matches(namespace) }
  }
}
