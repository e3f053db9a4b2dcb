import Accounts
import EventLoop
import Spool

/// Keeps what sign-ins bring while there is no database, many of them in one file.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
final class DetailsKeeper: @unchecked Sendable {
  /// A file of so many usual entries has some hundred KiB.
  private static let batchMax = 256

  private let loop: EventLoop
  private let details: DetailsSpool
  private var queue: [(entry: SpoolEntry, whenDone: (DetailsSpool.Fate) -> Void)] = []
  private var isWriting = false

  init(on loop: EventLoop, in details: DetailsSpool) {
    self.loop = loop
    self.details = details
  }

  /// Returns when the details are on the disk, or cannot be.
  func keep(_ entry: SpoolEntry) async -> DetailsSpool.Fate {
    if details.spool.isRepeat(entry) { return .kept }
    return await withUnsafeContinuation { continuation in
      queue.append((entry, { continuation.resume(returning: $0) }))
      writeNext()
    }
  }

  /// What comes while a file is forced to the disk goes together into the next.
  private func writeNext() {
    guard !isWriting, !queue.isEmpty else { return }
    isWriting = true
    let batch = Array(queue.prefix(Self.batchMax))
    queue.removeFirst(batch.count)
    Task(executorPreference: loop) { [self] in
      let fate = await write(batch.map(\.entry))
      isWriting = false
      for (_, whenDone) in batch { whenDone(fate) }
      writeNext()
    }
  }

  private func write(_ entries: [SpoolEntry]) async -> DetailsSpool.Fate {
    switch await details.write(entries, on: loop) {
    case .success(let file): await details.force(file, holding: entries, on: loop)
    case .failure(let failure): failure.fate
    }
  }
}
