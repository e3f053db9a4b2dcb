/// How a new user stands to the address they came with.
public enum RegisteredEmail: Hashable, Sendable {
  /// Proven by the provider and held by nobody: it is theirs, and everyone else's mere claims to it are dropped.
  case verified(ReportedEmail)
  /// Theirs by their own word only; it finds nobody.
  case claimed(ReportedEmail)
  case none

  public var dropsClaimsOfOthers: Bool {
    if case .verified = self { true } else { false }
  }
}
