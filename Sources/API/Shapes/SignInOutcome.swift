/// What a sign-in came to.
public enum SignInOutcome: String, WireWord {
  case signedIn = "signed_in"
  case linked
  case registered
  case registrationHeld = "registration_held"
  case linkRequired = "link_required"
  case notFound = "not_found"
}
