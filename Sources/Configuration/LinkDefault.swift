/// What happens when the verified address of an unknown identity is somebody's already, and the call does not say.
public enum LinkDefault: String, Hashable, Sendable, CaseIterable {
  case verifiedEmail = "verified_email"
  case confirm
  case never
}
