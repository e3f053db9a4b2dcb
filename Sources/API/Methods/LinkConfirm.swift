import Accounts
import JSONRPC

/// Answers a challenge.
public enum LinkConfirm: Method {
  public static let name: StaticString = "link.confirm"
  public static let summary: StaticString =
    "Attaches the identity of a challenge to the user who is proved to be meant."
  public static let description: StaticString = """
    Answers what link_required asked, once, by the caller that was asked, with a proof of being one of the candidates. \
    What is held of the person goes along. A wrong proof is refused and counted; the fifth uses the challenge up. Answers \
    as a sign-in.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [
    .notFound, .linkForbidden, .challengeMismatch, .challengeUsed, .challengeExpired, .proofRejected,
    .identityLinkedElsewhere, .userDisabled, .namespaceUnknown, .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "LinkConfirmParameters"

    public var challengeID = ChallengeID.unset
    public var proof = ProofShape()
    public var include: [Include]?

    public init() {}

    public init(challengeID: ChallengeID, proof: ProofShape, include: [Include]? = nil) {
      self.challengeID = challengeID
      self.proof = proof
      self.include = include
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("challenge_id", &challengeID, "Which challenge.")
      try visitor.member("proof", &proof, "What shows that the person is one of the candidates.")
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of the user to answer with.")
    }
  }

  public typealias Result = SignInResult
}
