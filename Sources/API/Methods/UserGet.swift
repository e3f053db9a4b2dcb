import Accounts
import JSONRPC

/// Finds one user.
public enum UserGet: Method {
  public static let name: StaticString = "user.get"
  public static let summary: StaticString = "Finds a user by id, by an identity or by a verified e-mail address."
  public static let description: StaticString = """
    Takes id, or provider and subject, or email. The id of a merged user answers with the survivor.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .userErased, .namespaceUnknown, .databaseUnavailable]

  /// By what the user is looked for.
  public enum Selector: Equatable, Sendable {
    case id(UserID)
    case identity(IdentitySelector)
    case email(ExactText)
  }

  public struct Parameters: Shape, Equatable {
    public static let title = "UserGetParameters"

    public private(set) var id: UserID?
    public private(set) var provider: ExactText?
    public private(set) var tenant: ExactText?
    public private(set) var subject: ExactText?
    public private(set) var email: ExactText?
    public var include: [Include]?

    public init() {}

    public init(_ selector: Selector, include: [Include]? = nil) {
      switch selector {
      case .id(let id): self.id = id
      case .identity(let identity):
        provider = identity.provider
        tenant = identity.tenant
        subject = identity.subject
      case .email(let email): self.email = email
      }
      self.include = include
    }

    /// nil only before decoding: parameters that were decoded have exactly one.
    public var selector: Selector? {
      let identity = IdentitySelector(provider: provider, tenant: tenant, subject: subject)
      switch (id, identity, email) {
      case (let id?, nil, nil) where !hasPartOfIdentity: return .id(id)
      case (nil, let identity?, nil): return .identity(identity)
      case (nil, nil, let email?) where !hasPartOfIdentity: return .email(email)
      default: return nil
      }
    }

    private var hasPartOfIdentity: Bool { provider != nil || tenant != nil || subject != nil }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("id", &id, "The user's id, or a former one.")
      try visitor.member("provider", &provider, .provider, "With subject: who proves the identity.")
      try visitor.member("tenant", &tenant, .tenant, "With subject: the team or client id.")
      try visitor.member("subject", &subject, .subject, "The provider's id for the person.")
      try visitor.member("email", &email, .email, "An address that the user holds as verified.")
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of the user to answer with.")
    }

    public func contradiction() -> ShapeProblem? {
      selector == nil
        ? ShapeProblem(.combination, "must have either id, or provider and subject, or email, and no more of these")
        : nil
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "UserGetResult"

    public var user = UserShape()
    public var requestedID: UserID?
    public var merged: Bool?

    public init() {}

    /// - Parameter requestedID: the id that was asked for, if that user is merged into this one.
    public init(user: UserShape, mergedFrom requestedID: UserID? = nil) {
      self.user = user
      self.requestedID = requestedID
      merged = requestedID == nil ? nil : true
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("user", &user, "The user, or the one they were merged into.")
      try visitor.member("requested_id", &requestedID, "The id that was asked for, if it is no longer the user's.")
      try visitor.member("merged", &merged, "True if the user asked for was merged into this one.")
    }
  }
}
