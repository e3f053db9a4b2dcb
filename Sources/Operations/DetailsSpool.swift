import Accounts
import EventLoop
import Spool
import Store
import Synchronization
import Vault

/// The spool as operations use it: what comes of it is told to the caller in one word, and to the operator in a sentence.
public final class DetailsSpool: Sendable {
  /// What became of details that the database did not take.
  enum Fate: Sendable {
    /// They are sealed on the disk and go to the database when it is back.
    case kept
    case notKept
    /// They are not kept because the disk is full.
    case noSpace
  }

  public let spool: Spool
  private let sealer: SharedSealer
  private let report: @Sendable (String) -> Void
  private let deliverer = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameter report: told what the operator has to know.
  public init(_ spool: Spool, sealer: SharedSealer, report: @escaping @Sendable (String) -> Void) {
    self.spool = spool
    self.sealer = sealer
    self.report = report
  }

  /// - Parameter action: delivers what is kept, if that is not being done; called on any thread.
  public func onDemand(_ action: @escaping @Sendable () -> Void) {
    deliverer.withLock { $0 = action }
  }

  /// Has what is kept delivered now, because somebody waits for it.
  func askForDelivery() {
    deliverer.withLock(\.self)?()
  }

  /// Writes details so that they outlive the daemon, though not yet the machine.
  func write(_ entries: [SpoolEntry], on loop: EventLoop) async -> Result<SpoolFile, NotWritten> {
    guard let sealer = sealer.current else { return .failure(NotWritten(fate: .notKept)) }
    do throws(SpoolError) {
      return .success(try await spool.write(entries, by: sealer, on: loop))
    } catch {
      return .failure(NotWritten(fate: fate(of: error)))
    }
  }

  struct NotWritten: Error {
    let fate: Fate
  }

  /// Has a file that was just written outlive the machine.
  func force(_ file: SpoolFile, holding entries: [SpoolEntry], on loop: EventLoop) async -> Fate {
    do throws(SpoolError) {
      try await spool.forceToDisk(file, holding: entries, on: loop)
      return .kept
    } catch {
      let fate = fate(of: error)
      await remove(file, on: loop)
      return fate
    }
  }

  /// Removes a file whose details the database has.
  func remove(_ file: SpoolFile, on loop: EventLoop) async {
    do throws(SpoolError) {
      try await spool.remove(file, on: loop)
    } catch {
      report("a file of the spool cannot be removed: \(error)")
    }
  }

  /// Takes out what identities said whose user was erased at a moment.
  func forget(_ identities: Set<IdentityKey>, saidUntil moment: Timestamp, on loop: EventLoop) async {
    guard let sealer = sealer.current else { return }
    do throws(SpoolError) {
      try await spool.forget(identities, saidUntil: moment, by: sealer, on: loop)
    } catch {
      report("details of somebody who was erased cannot be taken out of the spool: \(error)")
    }
  }

  private func fate(of error: SpoolError) -> Fate {
    report("details cannot be kept in the spool: \(error)")
    if case .diskFull = error { return .noSpace }
    return .notKept
  }
}

extension SignInRequest {
  /// Whether what it says would be lost if nobody wrote it down: details of somebody who may become a user.
  var bringsDetails: Bool { policy.register != .never && claims.haveDetails }

  func spoolEntry(as registration: RegistrationID, at time: Timestamp) -> SpoolEntry {
    SpoolEntry(
      id: registration, identity: claims.identity, link: ExactText(policy.link.rawValue), caller: caller,
      receivedAt: time, expiresAt: time.advanced(bySeconds: holdSeconds), claims: ClaimsText.write(claims))
  }
}
