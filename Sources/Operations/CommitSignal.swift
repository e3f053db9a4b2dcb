import Synchronization

/// Tells those of a process who wait for events that something was committed, whichever loop did it. Commits of other
/// daemons they find by looking.
public final class CommitSignal: Sendable {
  private let listeners = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
  /// Whether anybody listens, for those who commit while nobody does.
  private let isHeard = Atomic(false)

  public init() {}

  /// To be called after a commit.
  public func announce() {
    guard isHeard.load(ordering: .relaxed) else { return }
    let actions = listeners.withLock { Array($0.values) }
    for action in actions { action() }
  }

  /// - Parameter action: called on any thread.
  func listen(_ listener: AnyObject, _ action: @escaping @Sendable () -> Void) {
    change { $0[ObjectIdentifier(listener)] = action }
  }

  func stopListening(_ listener: AnyObject) {
    change { $0[ObjectIdentifier(listener)] = nil }
  }

  private func change(_ change: (inout [ObjectIdentifier: @Sendable () -> Void]) -> Void) {
    listeners.withLock { listeners in
      change(&listeners)
      isHeard.store(!listeners.isEmpty, ordering: .relaxed)
    }
  }
}
