import Accounts
import EventLoop
import Postgres
import Store
import Vault

/// Gathers sign-ins that have something to write into transactions of many.
///
/// Two sign-ins that share an identity or an address never go together or at the same time: the second waits and then looks
/// again, because what the first wrote most likely answers it. So any number of first sign-ins of one person write once.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
final class SignInWriter: @unchecked Sendable, EndOfTurn {
  /// Gathering pays most up to here, and a transaction holds its locks no longer than a few milliseconds.
  private static let batchJobsMax = 64
  /// While this many are under way PostgreSQL has work, and what comes gathers. More than one, because most of a
  /// transaction's time is spent waiting for the disk, which PostgreSQL does once for several.
  private static let batchesInFlightMax = 4

  private let loop: EventLoop
  private let pool: Pool
  private let sealer: SharedSealer
  private let circumstances: Circumstances

  private var queue: [SignInJob] = []
  private var taken: Set<AdvisoryLock> = []
  private var batchesInFlight = 0
  private var isStartDue = false

  init(on loop: EventLoop, to pool: Pool, sealer: SharedSealer, circumstances: Circumstances) {
    self.loop = loop
    self.pool = pool
    self.sealer = sealer
    self.circumstances = circumstances
  }

  /// Decides under locks and writes what was decided.
  ///
  /// - Parameters:
  ///   - claims: those of the request, with the details that are held filled in.
  ///   - resuming: what is held, if anything is.
  func write(
    _ request: SignInRequest, key: StoredKey, claims: Claims, resuming: HeldRegistration?
  ) async -> SignInJob.Ending {
    await withUnsafeContinuation { continuation in
      queue.append(
        SignInJob(request, key: key, claims: claims, resuming: resuming) { continuation.resume(returning: $0) })
      startSoon()
    }
  }

  func turnEnded() {
    isStartDue = false
    while batchesInFlight < Self.batchesInFlightMax, let jobs = takeBatch() { start(jobs) }
  }

  private func startSoon() {
    guard !isStartDue, batchesInFlight < Self.batchesInFlightMax else { return }
    isStartDue = true
    loop.atEndOfTurn(self)
  }

  /// The first jobs of the queue that have nothing in common with each other or with what is under way.
  private func takeBatch() -> [SignInJob]? {
    var batch: [SignInJob] = []
    var left: [SignInJob] = []
    for job in queue {
      if batch.count < Self.batchJobsMax, taken.isDisjoint(with: job.locks) {
        taken.formUnion(job.locks)
        batch.append(job)
      } else {
        if batch.count < Self.batchJobsMax { job.wasOvertaken = true }
        left.append(job)
      }
    }
    queue = left
    return batch.isEmpty ? nil : batch
  }

  private func start(_ jobs: [SignInJob]) {
    batchesInFlight += 1
    Task(executorPreference: loop) { [self] in
      await SignInBatch(jobs: jobs, pool: pool, sealer: sealer, circumstances: circumstances).run()
      batchesInFlight -= 1
      for job in jobs { taken.subtract(job.locks) }
      sendBackOvertaken()
      startSoon()
    }
  }

  private func sendBackOvertaken() {
    let free = queue.filter { $0.wasOvertaken && taken.isDisjoint(with: $0.locks) }
    guard !free.isEmpty else { return }
    queue.removeAll { $0.wasOvertaken && taken.isDisjoint(with: $0.locks) }
    for job in free { job.end(.overtaken) }
  }
}
