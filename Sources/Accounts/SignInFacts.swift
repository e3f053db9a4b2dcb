/// What the database knows of the claims of one sign-in, loaded before anything is decided.
public struct SignInFacts: Hashable, Sendable {
  /// The identity that the claims name, if it has a user.
  public let identity: KnownIdentity?

  /// The user who holds the address in the claims as verified.
  public let holder: AddressHolder?

  /// Whether this identity was once taken off the holder, and so is not attached to them by itself again.
  public let wasUnlinkedFromHolder: Bool

  /// The user off whom the identity was taken, the last who is active if it was taken off several; nil if it never was.
  public let unlinkedFrom: AddressHolder?

  /// Whether the user whose the identity is or is to be once removed the address in the claims, so that it does not come
  /// back by itself.
  public let isAddressRemoved: Bool

  public init(
    identity: KnownIdentity? = nil, holder: AddressHolder? = nil, wasUnlinkedFromHolder: Bool = false,
    unlinkedFrom: AddressHolder? = nil, isAddressRemoved: Bool = false
  ) {
    self.identity = identity
    self.holder = holder
    self.wasUnlinkedFromHolder = wasUnlinkedFromHolder
    self.unlinkedFrom = unlinkedFrom
    self.isAddressRemoved = isAddressRemoved
  }
}
