import Accounts
import Spool
import Store

/// A sign-in on its way through the write path.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
final class SignInJob: @unchecked Sendable {
  /// What comes of handing a job to the writer.
  enum Ending: Sendable {
    case answered(Answer<SignInResult>)
    case failed(OperationError)
    /// Another sign-in of the same person went first: look again, things have changed.
    case overtaken
  }

  /// What an attempt wrote whose commit is uncertain.
  struct Attempt {
    /// By what it is recognised: an id that nobody else makes, a version, a moment, or a count that only grows.
    enum Mark {
      case identity(IdentityID)
      case registration(RegistrationID, version: Int64)
      case challengeUsed(at: Timestamp)
      case wrongProofs(Int)
    }

    let mark: Mark
    let ending: Ending
  }

  let request: SignInRequest
  /// What the request claims, with the details that are held filled in.
  let claims: Claims
  /// Whose details they are: it must still be the same when the job is decided about, and nil if nothing is held.
  let resuming: HeldRegistration?
  /// Under which the details are held, if they come to be and are not yet.
  let newRegistration: RegistrationID
  /// What is to outlive the daemon until the database has it.
  let entry: SpoolEntry?
  let key: StoredKey
  /// What no two sign-ins may work on at once.
  let locks: [AdvisoryLock]
  /// Set while it is uncertain whether the last attempt was committed.
  var attempt: Attempt?
  /// Whether the job had to wait for another one with a lock in common.
  var wasOvertaken = false
  private let finish: (Ending) -> Void

  init(
    _ request: SignInRequest, key: StoredKey, claims: Claims, resuming: HeldRegistration?,
    newRegistration: RegistrationID, entry: SpoolEntry?, finish: @escaping (Ending) -> Void
  ) {
    self.request = request
    self.claims = claims
    self.resuming = resuming
    self.newRegistration = newRegistration
    self.entry = entry
    self.key = key
    self.finish = finish
    locks = [.identity(key)] + (claims.email.map { [.address($0.address.canonical)] } ?? [])
  }

  func end(_ ending: Ending) { finish(ending) }
}
