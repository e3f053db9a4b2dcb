/// A part of a profile by its name, to be removed.
public enum ProfileMember: String, WireWord {
  case name
  case nickname
  case picture
  case locale
  case details
}
