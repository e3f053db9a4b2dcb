import Accounts
import JSONRPC
import Operations
import Vault

extension RPCError {
  /// What a caller is told of an operation's failure. What is for the journal alone goes there.
  init(_ error: OperationError, for context: CallContext) {
    switch error {
    case .refused(let refusal):
      self.init(refusal)
    case .linkedElsewhere(let owner):
      let isTold = context.caller.maySeeOwners
      self.init(.identityLinkedElsewhere, details: isTold ? [.userID(owner.description)] : [])
    case .proofRejected(let wrong):
      self.init(.proofRejected, wrong.message, hint: "A proof is another identity of the user who is asked about.")
    case .tokenRefused(let refusal):
      self.init(tokenRefused: refusal)
    case .unknownOwner:
      self.init(.notFound, "There is no such user.", details: [.path("params.user_id")])
    case .mergeRefused(let refusal):
      self.init(refusal)
    case .eventsGone(let cursor):
      self.init(
        .notFound, "The next events are not kept any more.",
        hint: "Acknowledge or read from data.cursor to go on with the oldest that is kept.",
        details: [.cursor("\(cursor)")])
    case .unknownCursor:
      self.init(
        .invalidParams, "The cursor is none that was told, or the database has been restored or failed over since.",
        hint: "Read again without it; what was not acknowledged comes again.",
        details: [.path("params.cursor"), .problem(.format)])
    case .tooManyConsumers(let max):
      self.init(
        .tooMany, "The caller has \(max) consumers already.",
        hint: "Use one of them; those that nobody uses go by themselves.")
    case .databaseUnavailable(let cause, let kept):
      context.worker.journal.write(.debug, "\(cause)", requestID: context.requestID)
      if case .readOnly = cause { self = .databaseReadOnly } else { self = .databaseAway }
      if let kept { details.append(.kept(kept)) }
    case .storageFull(let cause, let kept):
      context.worker.journal.write(.error, "\(cause)", requestID: context.requestID)
      self.init(.storageFull, details: kept.map { [.kept($0)] } ?? [])
    case .unexpected(let cause):
      context.worker.journal.write(.error, "\(cause)", requestID: context.requestID)
      self.init(.internal)
    case .sealing(let cause, let record):
      context.worker.journal.write(.error, cause.journalText(of: record), requestID: context.requestID)
      self.init(.internal)
    }
  }

  /// The database cannot be reached.
  static let databaseAway = RPCError(.databaseUnavailable, hint: "Try again in a moment.")

  /// The database can be reached and takes no changes.
  static let databaseReadOnly = RPCError(
    .databaseUnavailable, "The database is read-only at the moment, so nothing can be changed.",
    hint: "Try again in a moment; if it stays so, an administrator has to look at the database.")

  /// How it stands with a token is told to who has it; of any other only that it is not the right one.
  private init(tokenRefused refusal: Refusal) {
    let hint = "email.add gives a new one, in the place of those before."
    switch refusal {
    case .challengeUsed: self.init(.challengeUsed, "The token was used already.", hint: hint)
    case .challengeExpired: self.init(.challengeExpired, "The token has expired.", hint: hint)
    default:
      self.init(
        .proofRejected, "The token is not the one that was given out last for this address of this user.", hint: hint)
    }
  }

  private init(_ refusal: MergeRefusal) {
    switch refusal {
    case .oneUser:
      self.init(
        .invalidParams, "params.users must be two users, and are two ids of one.",
        details: [.path("params.users"), .problem(.combination)])
    case .survivorElsewhere:
      self.init(
        .invalidParams, "params.survivor must be one of the two users.",
        details: [.path("params.survivor"), .problem(.choice)])
    case .tooManyCredentials(let max):
      self.init(
        .tooMany, "More than \(max) credentials would have to move.",
        hint: "Delete some, or give them to nobody, and begin again.")
    case .superseded(let later):
      self.init(
        .mergeSuperseded, hint: "Undo merge \(later) first.",
        details: [.laterMergeID(later.description)])
    }
  }

  private init(_ refusal: Refusal) {
    switch refusal {
    case .notFound: self.init(ErrorReason.notFound)
    case .userErased: self.init(ErrorReason.userErased)
    case .userDisabled: self.init(ErrorReason.userDisabled, hint: "An administrator can enable the user again.")
    case .identityLinkedElsewhere: self.init(ErrorReason.identityLinkedElsewhere)
    case .emailTaken: self.init(ErrorReason.emailTaken)
    case .lastSignInMethod: self.init(ErrorReason.lastSignInMethod, hint: "Add another way to sign in first.")
    case .challengeExpired: self.init(ErrorReason.challengeExpired, hint: "Begin again to get a new one.")
    case .challengeUsed: self.init(ErrorReason.challengeUsed, hint: "Begin again to get a new one.")
    case .challengeMismatch:
      self.init(ErrorReason.challengeMismatch, hint: "Sign in again, through this caller, to get a new one.")
    case .proofRejected: self.init(ErrorReason.proofRejected)
    case .planStale: self.init(ErrorReason.planStale, hint: "Make a new plan, and look at it again.")
    case .credentialExists: self.init(ErrorReason.credentialExists, hint: "Change it with update or put.")
    case .requestKeyReused:
      self.init(ErrorReason.requestKeyReused, hint: "Take a new request key for a call with other parameters.")
    case .inProgress: self.init(ErrorReason.inProgress, hint: "Repeat the call to get its answer.")
    }
  }
}

/// Runs an operation and translates its failure.
func translating<Value>(
  _ context: CallContext, _ body: () async throws(OperationError) -> Value
) async throws(RPCError) -> Value {
  do throws(OperationError) {
    return try await body()
  } catch {
    throw RPCError(error, for: context)
  }
}

extension WrongProof {
  fileprivate var message: String {
    switch self {
    case .challengedIdentity: "The proof is the very identity that the challenge is about."
    case .identityOfNobody: "The identity of the proof is no user's."
    case .identityOfOther: "The identity of the proof is not one of the user who is asked about."
    case .otherUser: "The user who is said to be signed in is not the one who is asked about."
    }
  }
}
