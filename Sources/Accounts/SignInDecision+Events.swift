extension SignInDecision {
  /// What the decision makes happen to the user who signs in, in order.
  ///
  /// What happens to others, and whether an address lost its last source, only the database knows: whoever records the
  /// decision adds `email.unverified` and `email.claim_dropped`.
  ///
  /// - Parameters:
  ///   - user: the id of the user who signs in; for a registration the new one.
  ///   - identity: the id of the identity; for a link or a registration the new one.
  public func events(user: UserID, identity: IdentityID, namespace: Namespace) -> [Event] {
    switch self {
    case .signIn(_, _, let changes):
      changes?.events(user: user, identity: identity) ?? []
    case .link(_, let by, let filled, let email):
      [.identityLinked(user, identity: identity, namespace: namespace, by: by)]
        + (filled == nil ? [] : [.userUpdated(user)]) + email.events(user: user)
    case .register:
      [.userRegistered(user, identity: identity, namespace: namespace)]
    case .hold, .challenge, .notFound:
      []
    }
  }
}

extension EmailChange {
  func events(user: UserID, identity: IdentityID) -> [Event] {
    var events: [Event] = []
    let canonical = email.address.canonical
    if isOtherAddress { events.append(.identityEmailChanged(user, identity: identity, email: canonical)) }
    if standing == .vouched, !isHeldAlready { events.append(.emailVerified(user, email: canonical)) }
    return events
  }
}

extension RegisteredEmail {
  /// That a new user holds an address is told by their registration.
  fileprivate func events(user: UserID) -> [Event] {
    if case .verified(let email) = self { [.emailVerified(user, email: email.address.canonical)] } else { [] }
  }
}
