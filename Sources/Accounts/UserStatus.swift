/// Where a user stands.
public enum UserStatus: String, Hashable, Sendable, CaseIterable {
  case active
  case disabled
  case merged
  case erased
}
