/// A member of a profile by its name on the wire.
public enum ProfilePart: String, Hashable, Sendable, CaseIterable {
  case name
  case nickname
  case picture
  case locale
  case details
}
