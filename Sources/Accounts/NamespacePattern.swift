/// In which namespaces a caller may act: `*`, all of one provider as `apple:*`, or one as `apple:TEAM`.
public enum NamespacePattern: Hashable, Sendable {
  case any
  case provider(Provider)
  case namespace(Namespace)

  public func matches(_ namespace: Namespace) -> Bool {
    switch self {
    case .any: true
    case .provider(let provider): provider == namespace.provider
    case .namespace(let exact): exact == namespace
    }
  }
}

extension NamespacePattern: LosslessStringConvertible {
  /// Fails on an unknown provider and on a star that is only part of a tenant.
  public init?(_ text: String) {
    if ExactText(text) == "*" {
      self = .any
      return
    }
    guard let namespace = Namespace(text) else { return nil }
    if namespace.tenant == "*" {
      self = .provider(namespace.provider)
    } else if namespace.tenant.string.utf8.contains(UInt8(ascii: "*")) {
      return nil
    } else {
      self = .namespace(namespace)
    }
  }

  public var description: String {
    switch self {
    case .any: "*"
    case .provider(let provider): "\(provider.rawValue):*"
    case .namespace(let namespace): namespace.description
    }
  }
}
