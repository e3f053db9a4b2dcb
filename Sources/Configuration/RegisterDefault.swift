/// What happens to a person nobody knows, when the call does not say.
public enum RegisterDefault: String, Hashable, Sendable, CaseIterable {
  case auto
  case hold
  case never
}
