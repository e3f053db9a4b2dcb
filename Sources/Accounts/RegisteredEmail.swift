/// How a user stands to the address that comes with a new identity of theirs.
public enum RegisteredEmail: Hashable, Sendable {
  /// Proven by the provider and held by nobody: it is theirs, and everyone else's mere claims to it are dropped.
  case verified(ReportedEmail)
  /// Proven by the provider, and theirs already: the identity is one more source.
  case supported(ReportedEmail)
  /// Theirs by their own word only; it finds nobody.
  case claimed(ReportedEmail)
  /// There is none, or the user has removed it and it does not come back by itself.
  case none

  public var dropsClaimsOfOthers: Bool {
    if case .verified = self { true } else { false }
  }
}
