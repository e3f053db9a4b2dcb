/// The kinds of calls that are measured.
enum Load: String {
  /// A random identity that is there.
  case known
  /// A new identity of another provider, with the verified address of a user.
  case link
  /// Somebody nobody knows.
  case registration
  /// Somebody nobody knows, whose details are held.
  case hold
  /// A secret for a new account.
  case credential
  /// A random secret that is there.
  case secret
  /// What a merge of two users would do, who have not been planned for before.
  case plan
  /// One of those merges.
  case merge

  var title: String {
    switch self {
    case .known: "known identity"
    case .link: "link by address"
    case .registration: "first sign-in"
    case .hold: "first sign-in, held"
    case .credential: "credential.put"
    case .secret: "credential.get"
    case .plan: "merge.plan"
    case .merge: "merge of two users"
    }
  }

  /// What every answer must hold.
  var outcome: String {
    switch self {
    case .known: "\"signed_in\""
    case .link: "\"linked\""
    case .registration: "\"registered\""
    case .hold: "\"registration_held\""
    case .credential: "\"version\":1"
    case .secret: "\"secret\":"
    case .plan: "\"plan_token\":"
    case .merge: "\"state\":\"done\""
    }
  }

  /// Whether a measurement ends when all of them are done, for there are only so many.
  var isCounted: Bool { self == .plan || self == .merge }
}
