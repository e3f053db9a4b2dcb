/// What finds an identity: the same subject in two namespaces is two people until somebody proves otherwise.
public struct IdentityKey: Hashable, Sendable {
  public let namespace: Namespace
  public let subject: Subject

  public init(_ namespace: Namespace, _ subject: Subject) {
    self.namespace = namespace
    self.subject = subject
  }
}
