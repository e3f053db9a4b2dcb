/// What a sign-in does with an unknown identity whose address a user holds as verified.
public enum LinkChoice: String, WireWord {
  /// Attaches the identity if its own provider vouches for the address.
  case verifiedEmail = "verified_email"
  /// Asks for a proof first.
  case confirm
  /// Goes on as if nobody held the address.
  case never
}
