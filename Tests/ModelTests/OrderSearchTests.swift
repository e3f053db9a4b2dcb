import Testing

/// The search for an order takes what may happen and nothing else.
struct OrderSearchTests {
  private static let proof = Report(.first, verified: true)
  private static let claim = Report(.first, verified: false)

  private static func signIn(
    _ subject: Subject, _ report: Report? = nil, _ register: Call.RegisterChoice = .auto,
    _ link: Call.LinkChoice = .verifiedEmail
  ) -> Call {
    .resolve(subject, report, register, link)
  }

  /// Mira, by Apple, with the first address.
  private static func withMira() -> Story {
    var story = Story()
    story.then(signIn(.apple, proof), .registered(.u(1), .i(1), .apple, proof))
    return story
  }

  // MARK: One user

  @Test func `first sign-ins of one identity at once are one user, whichever comes first`() {
    var story = Story()
    let again = Answer.user("signed_in", .u(1), .i(1), .apple, by: "register", matchedBy: "identity")
    story.together((Self.signIn(.apple), again), (Self.signIn(.apple), .registered(.u(1), .i(1), .apple)))
    #expect(story.isExplained)
  }

  @Test func `two users of one identity are refused`() {
    var story = Story()
    story.together(
      (Self.signIn(.apple), .registered(.u(1), .i(1), .apple)),
      (Self.signIn(.apple), .registered(.u(2), .i(2), .apple)))
    #expect(!story.isExplained)
  }

  @Test func `an id that is given twice is refused`() {
    var story = Story()
    story.then(Self.signIn(.apple), .registered(.u(1), .i(1), .apple))
    story.then(Self.signIn(.naver), .registered(.u(1), .i(2), .naver))
    #expect(!story.isExplained)
  }

  @Test func `two holders of one address are refused`() {
    var story = Story()
    story.together(
      (Self.signIn(.apple, Self.proof), .registered(.u(1), .i(1), .apple, Self.proof)),
      (Self.signIn(.linkedin, Self.proof), .registered(.u(2), .i(2), .linkedin, Self.proof)))
    #expect(!story.isExplained)
  }

  @Test func `of two who prove one address at once the second is linked`() {
    var story = Story()
    story.together(
      (
        Self.signIn(.apple, Self.proof),
        .user("linked", .u(1), .i(2), .apple, by: "email", Self.proof, matchedBy: "email")
      ),
      (Self.signIn(.linkedin, Self.proof), .registered(.u(1), .i(1), .linkedin, Self.proof)))
    #expect(story.isExplained)
  }

  @Test func `what was over before a call began comes before it`() {
    var story = Self.withMira()
    story.then(Self.signIn(.apple, nil, .never), Answer("not_found"))
    #expect(!story.isExplained)
    var together = Story()
    together.together(
      (Self.signIn(.apple), .registered(.u(1), .i(1), .apple)),
      (Self.signIn(.apple, nil, .never), Answer("not_found")))
    #expect(together.isExplained)
  }

  @Test func `a claim that stays after a proof is refused`() {
    var story = Story()
    story.then(Self.signIn(.naver, Self.claim), .registered(.u(1), .i(1), .naver, Self.claim))
    story.then(Self.signIn(.apple, Self.proof), .registered(.u(2), .i(2), .apple, Self.proof))
    var shown = Answer.done
    shown.user = .u(1)
    shown.status = "active"
    shown.emails = [:]
    shown.identities = [
      .naver: .init(id: .i(1), subject: .naver, user: .u(1), linkedBy: "register", report: Self.claim)
    ]
    var right = story
    right.then(.findUser(.u(1)), shown)
    #expect(right.isExplained)
    shown.emails = [.first: .init(isVerified: false, vouchers: [], isProvedByToken: false)]
    story.then(.findUser(.u(1)), shown)
    #expect(!story.isExplained)
  }

  @Test func `somebody disabled who signs in is refused`() {
    var story = Self.withMira()
    var disabled = Answer.done
    disabled.user = .u(1)
    disabled.status = "disabled"
    story.then(.disable(.u(1)), disabled)
    var right = story
    right.then(Self.signIn(.apple), Answer("user_disabled"))
    #expect(right.isExplained)
    story.then(
      Self.signIn(.apple), .user("signed_in", .u(1), .i(1), .apple, by: "register", Self.proof, matchedBy: "identity"))
    #expect(!story.isExplained)
  }

  // MARK: Linking

  private static let confirmed = Answer.user(
    "linked", .u(1), .i(2), .naver, by: "confirm", claim, matchedBy: "email", isResumed: true)

  private static func withChallenge() -> Story {
    var story = withMira()
    story.then(signIn(.naver, claim), .challenged(.c(1), candidate: .u(1), ["apple"]))
    return story
  }

  @Test func `a challenge that is used once is explained, used twice refused`() {
    let confirm = Call.confirm(.c(1), .claims(.apple))
    var once = Self.withChallenge()
    once.together((confirm, Self.confirmed), (confirm, Answer("challenge_used")))
    #expect(once.isExplained)
    var twice = Self.withChallenge()
    twice.together((confirm, Self.confirmed), (confirm, Self.confirmed))
    #expect(!twice.isExplained)
    var again = Self.withChallenge()
    again.then(confirm, Self.confirmed)
    again.then(confirm, .user("signed_in", .u(1), .i(2), .naver, by: "confirm", Self.claim, matchedBy: "identity"))
    #expect(!again.isExplained)
  }

  @Test func `a challenge that is answered by the challenged identity itself is refused`() {
    var story = Self.withChallenge()
    story.then(.confirm(.c(1), .claims(.naver)), Self.confirmed)
    #expect(!story.isExplained)
    var sixth = Self.withChallenge()
    for _ in 0..<5 { sixth.then(.confirm(.c(1), .claims(.naver)), Answer("proof_rejected")) }
    sixth.then(.confirm(.c(1), .claims(.apple)), Self.confirmed)
    #expect(!sixth.isExplained)
  }

  @Test func `an unlinking that leaves somebody without a way in is refused`() {
    let unlink = Call.unlink(from: .u(1), identity: .i(1))
    var right = Self.withMira()
    right.then(unlink, Answer("last_sign_in_method"))
    #expect(right.isExplained)
    var wrong = Self.withMira()
    wrong.then(unlink, .done)
    #expect(!wrong.isExplained)
  }

  @Test func `of two who take off the last two identities at once only one wins`() {
    var linked = Self.withMira()
    linked.then(
      Self.signIn(.linkedin, Self.proof),
      .user("linked", .u(1), .i(2), .linkedin, by: "email", Self.proof, matchedBy: "email"))
    let calls = (Call.unlink(from: .u(1), identity: .i(1)), Call.unlink(from: .u(1), identity: .i(2)))
    var right = linked
    right.together((calls.0, .done), (calls.1, Answer("last_sign_in_method")))
    #expect(right.isExplained)
    var wrong = linked
    wrong.together((calls.0, .done), (calls.1, .done))
    #expect(!wrong.isExplained)
  }

  @Test func `an unlinked identity that is attached again by itself is refused`() {
    var story = Self.withMira()
    story.then(
      Self.signIn(.linkedin, Self.proof),
      .user("linked", .u(1), .i(2), .linkedin, by: "email", Self.proof, matchedBy: "email"))
    story.then(.unlink(from: .u(1), identity: .i(2)), .done)
    var right = story
    right.then(Self.signIn(.linkedin, Self.proof), .challenged(.c(1), candidate: .u(1), ["apple"]))
    #expect(right.isExplained)
    story.then(
      Self.signIn(.linkedin, Self.proof),
      .user("linked", .u(1), .i(3), .linkedin, by: "email", Self.proof, matchedBy: "email"))
    #expect(!story.isExplained)
  }

  // MARK: Merging

  /// Mira with two accounts, and a plan to make them one.
  private static func withPlan() -> Story {
    var story = withMira()
    story.then(signIn(.naver), .registered(.u(2), .i(2), .naver))
    story.then(.plan(.u(1), .u(2), survivor: nil), .planned(.p(1), .u(2), into: .u(1)))
    return story
  }

  private static func naver(of user: Name, by linkedBy: String) -> Answer {
    .user("signed_in", user, .i(2), .naver, by: linkedBy, matchedBy: "identity")
  }

  @Test func `an undo gives back what moved, and one that loses an identity is refused`() {
    var story = Self.withPlan()
    story.then(.run(plan: .p(1)), .merged(.m(1), .u(2), into: .u(1), identities: 1, emails: 0))
    story.then(Self.signIn(.naver), Self.naver(of: .u(1), by: "merge"))
    story.then(
      .undo(merge: .m(1)), .merged(.m(1), .u(2), into: .u(1), identities: 1, emails: 0, isUndone: true))
    var right = story
    right.then(Self.signIn(.naver), Self.naver(of: .u(2), by: "register"))
    #expect(right.isExplained)
    var kept = story
    kept.then(Self.signIn(.naver), Self.naver(of: .u(1), by: "merge"))
    #expect(!kept.isExplained)
    story.then(Self.signIn(.naver), .registered(.u(3), .i(3), .naver))
    #expect(!story.isExplained)
  }

  @Test func `a plan that is carried out after something changed is refused`() {
    var story = Self.withPlan()
    story.then(
      Self.signIn(.apple, Report(.second, verified: true)),
      .user("signed_in", .u(1), .i(1), .apple, by: "register", Report(.second, verified: true), matchedBy: "identity"))
    var right = story
    right.then(.run(plan: .p(1)), Answer("plan_stale"))
    #expect(right.isExplained)
    story.then(.run(plan: .p(1)), .merged(.m(1), .u(2), into: .u(1), identities: 1, emails: 0))
    #expect(!story.isExplained)
  }

  @Test func `a plan that is stale though nothing changed is refused`() {
    var story = Self.withPlan()
    story.then(Self.signIn(.naver), Self.naver(of: .u(2), by: "register"))
    story.then(.run(plan: .p(1)), Answer("plan_stale"))
    #expect(!story.isExplained)
  }

  @Test func `a failure tells what happened and what should have`() {
    var story = Self.withMira()
    story.then(Self.signIn(.apple), Answer("not_found"))
    do throws(OrderSearch.Failure) {
      _ = try OrderSearch.find(story.history)
    } catch {
      #expect(error.furthest == [0])
      #expect(error.next.map(\.answer.word) == ["signed_in"])
      #expect("\(error)".contains("signin.resolve apple - auto"))
    }
  }
}
