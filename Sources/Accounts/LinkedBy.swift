/// How an identity came to its user; the raw value is what is stored and told as `linked_by`.
public enum LinkedBy: String, Hashable, Sendable, CaseIterable {
  /// The user was made for it.
  case registration = "register"
  /// Its provider verified an address that the user holds as verified.
  case verifiedEmail = "email"
}
