/// Something that happened to a user, told to consumers in the order in which it happened.
///
/// Carries ids and the address at hand, never names or other personal data.
public enum Event: Hashable, Sendable {
  /// A new user; their first identity is told here alone.
  case userRegistered(UserID, identity: IdentityID, namespace: Namespace)
  case userUpdated(UserID)
  case userDisabled(UserID)
  case userEnabled(UserID)
  /// The user has become one with another, whose id leads to them from now on.
  case userMerged(UserID, from: UserID, merge: MergeID)
  /// That merge was undone; the other is a user of their own again.
  case userUnmerged(UserID, from: UserID, merge: MergeID)
  /// All that was known of the user is gone, also under the ids of those who had been merged into them.
  case userErased(UserID, formerIDs: [UserID])
  case identityLinked(UserID, identity: IdentityID, namespace: Namespace, by: LinkedBy)
  case identityUnlinked(UserID, identity: IdentityID, namespace: Namespace)
  /// The provider gave the identity another address.
  case identityEmailChanged(UserID, identity: IdentityID, email: ExactText)
  /// The user has come to hold the canonical address as verified.
  case emailVerified(UserID, email: ExactText)
  /// The last source for the address is gone; the user merely claims it now.
  case emailUnverified(UserID, email: ExactText)
  /// The address is no longer the user's: somebody else proved what they only claimed, or it was removed.
  case emailClaimDropped(UserID, email: ExactText)
  /// Details of somebody who is not a user yet have come to be kept.
  case registrationHeld(RegistrationID, namespace: Namespace)
  /// Whose details were kept is this user now.
  case registrationCompleted(UserID, registration: RegistrationID)
  /// Nobody completed it in time, and the details are gone.
  case registrationExpired(RegistrationID, namespace: Namespace)
}

extension Event {
  /// Whom it happened to; nil for somebody who is no user.
  public var user: UserID? {
    switch self {
    case .userRegistered(let user, _, _), .userUpdated(let user), .userDisabled(let user), .userEnabled(let user),
      .userMerged(let user, _, _), .userUnmerged(let user, _, _),
      .userErased(let user, _),
      .identityLinked(let user, _, _, _), .identityUnlinked(let user, _, _), .identityEmailChanged(let user, _, _),
      .emailVerified(let user, _), .emailUnverified(let user, _), .emailClaimDropped(let user, _),
      .registrationCompleted(let user, _):
      user
    case .registrationHeld, .registrationExpired:
      nil
    }
  }

  public var type: EventType {
    switch self {
    case .userRegistered: .userRegistered
    case .userUpdated: .userUpdated
    case .userDisabled: .userDisabled
    case .userEnabled: .userEnabled
    case .userMerged: .userMerged
    case .userUnmerged: .userUnmerged
    case .userErased: .userErased
    case .identityLinked: .identityLinked
    case .identityUnlinked: .identityUnlinked
    case .identityEmailChanged: .identityEmailChanged
    case .emailVerified: .emailVerified
    case .emailUnverified: .emailUnverified
    case .emailClaimDropped: .emailClaimDropped
    case .registrationHeld: .registrationHeld
    case .registrationCompleted: .registrationCompleted
    case .registrationExpired: .registrationExpired
    }
  }
}
