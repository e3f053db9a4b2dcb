/// The three kinds of sign-in that are measured.
enum Load: String {
  /// A random identity that is there.
  case known
  /// A new identity of another provider, with the verified address of a user.
  case link
  /// Somebody nobody knows.
  case registration

  var title: String {
    switch self {
    case .known: "known identity"
    case .link: "link by address"
    case .registration: "first sign-in"
    }
  }

  /// What every answer must hold.
  var outcome: String {
    switch self {
    case .known: "\"signed_in\""
    case .link: "\"linked\""
    case .registration: "\"registered\""
    }
  }
}
