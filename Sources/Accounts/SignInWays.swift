/// What a user has, or would have left, to sign in with.
public struct SignInWays: Hashable, Sendable {
  /// Whether they have an identity whose provider signs them in by itself.
  public let hasProvider: Bool
  public let hasPassword: Bool
  public let hasVerifiedAddress: Bool

  public init(hasProvider: Bool, hasPassword: Bool, hasVerifiedAddress: Bool) {
    self.hasProvider = hasProvider
    self.hasPassword = hasPassword
    self.hasVerifiedAddress = hasVerifiedAddress
  }

  /// Whether there is a usable one: a password alone is lost with the first that is forgotten, so it needs an address to
  /// which a new one can be sent.
  public var areUsable: Bool { hasProvider || hasPassword && hasVerifiedAddress }

  /// - Throws: ``Refusal/lastSignInMethod`` where there is none.
  public func checkUsable() throws(Refusal) {
    guard areUsable else { throw .lastSignInMethod }
  }
}
