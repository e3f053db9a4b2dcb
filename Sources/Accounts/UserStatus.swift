/// Where a user stands.
public enum UserStatus: String, Hashable, Sendable, CaseIterable {
  case active
  case disabled
  case merged
  case erased
}

extension UserStatus {
  /// - Throws: why a user of this status does not sign in.
  ///
  /// A merged or erased user has neither identities nor addresses, so nothing leads here to one; should that ever fail,
  /// nobody is signed in as somebody who is gone.
  public func checkActive() throws(Refusal) {
    switch self {
    case .active: return
    case .disabled: throw .userDisabled
    case .merged: throw .notFound
    case .erased: throw .userErased
    }
  }
}
