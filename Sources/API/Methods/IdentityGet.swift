import Accounts
import JSONRPC

/// Finds one identity.
public enum IdentityGet: Method {
  public static let name: StaticString = "identity.get"
  public static let summary: StaticString = "Finds an identity by its id or by provider and subject."
  public static let description: StaticString = "Takes id, or provider and subject."
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .namespaceUnknown, .databaseUnavailable]

  /// By what the identity is looked for.
  public enum Selector: Equatable, Sendable {
    case id(IdentityID)
    case identity(IdentitySelector)
  }

  public struct Parameters: Shape, Equatable {
    public static let title = "IdentityGetParameters"

    public private(set) var id: IdentityID?
    public private(set) var provider: ExactText?
    public private(set) var tenant: ExactText?
    public private(set) var subject: ExactText?

    public init() {}

    public init(_ selector: Selector) {
      switch selector {
      case .id(let id): self.id = id
      case .identity(let identity):
        provider = identity.provider
        tenant = identity.tenant
        subject = identity.subject
      }
    }

    /// nil only before decoding: parameters that were decoded have exactly one.
    public var selector: Selector? {
      guard let id else {
        return IdentitySelector(provider: provider, tenant: tenant, subject: subject).map { .identity($0) }
      }
      return provider == nil && tenant == nil && subject == nil ? .id(id) : nil
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("id", &id, "The identity's id.")
      try visitor.member("provider", &provider, .provider, "With subject: who proves the identity.")
      try visitor.member("tenant", &tenant, .tenant, "With subject: the team or client id.")
      try visitor.member("subject", &subject, .subject, "The provider's id for the person.")
    }

    public func contradiction() -> ShapeProblem? {
      selector == nil
        ? ShapeProblem(.combination, "must have either id, or provider and subject, and no more of these") : nil
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "IdentityGetResult"

    public var identity = IdentityShape()

    public init() {}

    public init(identity: IdentityShape) {
      self.identity = identity
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("identity", &identity, "The identity.")
    }
  }
}
