import Accounts
import Store

/// What becomes of the identity that somebody comes with.
public enum SignInPurpose: Sendable {
  /// It tells who they are.
  case signIn
  /// It is attached to a user who is signed in; a former id means the survivor. With its row in the audit.
  case link(to: UserID, peerUID: UInt32, reason: ChangeReason?)
  /// It is attached to the user of whom a challenge asked, if the proof is right.
  case confirm(ChallengeID, candidates: [UserID], ChallengeProof)
}

/// What is to show that somebody is the user of whom a challenge asked.
public enum ChallengeProof: Sendable {
  /// An identity that they have just signed in with.
  case identity(StoredKey)
  /// The caller's word that this user is signed in; a former id means the survivor.
  case word(UserID)
}

/// One sign-in: what is known of the person, and how far it may go. An object, because it is passed on often.
public final class SignInRequest: Sendable {
  public let purpose: SignInPurpose
  public let claims: Claims
  public let policy: SignInPolicy
  /// How long a challenge can be answered.
  public let challengeSeconds: Double
  /// How long details are held.
  public let holdSeconds: Double
  public let include: Set<UserPart>
  public let caller: CallerName
  public let requestKey: RequestKey?
  public let asker: any SignInAsker

  public init(
    _ purpose: SignInPurpose = .signIn, claims: Claims, policy: SignInPolicy, challengeSeconds: Double,
    holdSeconds: Double, include: Set<UserPart>,
    caller: CallerName, requestKey: RequestKey?, asker: any SignInAsker
  ) {
    self.purpose = purpose
    self.claims = claims
    self.policy = policy
    self.challengeSeconds = challengeSeconds
    self.holdSeconds = holdSeconds
    self.include = include
    self.caller = caller
    self.requestKey = requestKey
    self.asker = asker
  }
}

/// Who waits for a sign-in.
public protocol SignInAsker: AnyObject, Sendable {
  /// A result as JSON text, for the answer that is kept under the request key.
  func encoded(_ result: SignInResult) -> [UInt8]

  /// Told once, on the loop.
  func signInEnded(_ outcome: Result<Answer<SignInResult>, OperationError>)
}

/// What a sign-in came to.
public enum SignInResult: Sendable {
  /// How a person became, or was found to be, one of our users.
  public enum Outcome: Sendable {
    case signedIn
    case linked
    case registered
  }

  /// The identity is absent only where a registration was completed earlier and the identity has left the user since.
  case user(Outcome, UserID, identity: IdentityRecord?, details: UserDetails?, isResumed: Bool)
  /// The person may be one of the challenge's candidates and has to prove it.
  case linkRequired(Challenge, isResumed: Bool)
  /// Nobody knows the person, and what is known of them is kept until the app has registered them.
  case held(HeldRegistration, isResumed: Bool)
  case notFound

  /// Whether it tells what is stored sealed, and may not be stored otherwise itself.
  var tellsSealed: Bool {
    if case .held = self { true } else { false }
  }
}

/// A question to the person that is still to be answered: are you this user?
public struct Challenge: Sendable {
  public let id: ChallengeID
  public let expiresAt: Timestamp
  public let candidates: [ChallengeCandidate]
}

/// An answer that is new, or the very bytes of an earlier one.
public enum Answer<Result: Sendable>: Sendable {
  case new(Result)
  /// A result's JSON text, kept under the call's request key.
  case kept([UInt8])
}
