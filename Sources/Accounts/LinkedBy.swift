/// How an identity came to its user; the raw value is what is stored and told as `linked_by`.
public enum LinkedBy: String, Hashable, Sendable, CaseIterable {
  /// The user was made for it.
  case registration = "register"
  /// Its provider verified an address that the user holds as verified.
  case verifiedEmail = "email"
  /// A challenge was confirmed.
  case confirmation = "confirm"
  /// A signed-in user added it.
  case link
  /// It came with a merged account.
  case merge
  /// It came from another system.
  case dataImport = "import"
}
