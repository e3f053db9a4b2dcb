/// What every way of signing in is answered with.
public struct SignInResult: Shape, Equatable {
  public static let title = "SignIn"

  public var outcome = SignInOutcome.notFound
  public var matchedBy: MatchedBy?
  public var user: UserShape?
  public var identity: IdentityShape?
  public var registration: RegistrationShape? {
    get { registrations.first }
    set { registrations = newValue.map { [$0] } ?? [] }
  }
  /// None or one; an array, because nearly all results have none and are moved about faster when they are small.
  private var registrations: [RegistrationShape] = []
  public var challenge: ChallengeShape?
  public var resumed: Bool?

  public init() {}

  public init(
    outcome: SignInOutcome, matchedBy: MatchedBy? = nil, user: UserShape? = nil, identity: IdentityShape? = nil,
    registration: RegistrationShape? = nil, challenge: ChallengeShape? = nil, resumed: Bool? = nil
  ) {
    self.outcome = outcome
    self.matchedBy = matchedBy
    self.user = user
    self.identity = identity
    self.registration = registration
    self.challenge = challenge
    self.resumed = resumed
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("outcome", &outcome, "What the sign-in came to.")
    try visitor.member("matched_by", &matchedBy, "By what the user was found; only with signed_in and linked.")
    try visitor.member("user", &user, "Who it is; not with link_required.")
    try visitor.member("identity", &identity, "The identity that was used.")
    try visitor.member("registration", &registration, "What is held; only with registration_held.")
    try visitor.member("challenge", &challenge, "What has to be proved; only with link_required.")
    try visitor.member("resumed", &resumed, "True if a held registration was taken up again.")
  }
}
