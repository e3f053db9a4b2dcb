import Accounts
import EventLoop
import Vault

/// The same on threads of their own, for who must not block. Sealing and opening are done there as well.
extension Spool {
  /// See ``learn(databaseID:)``.
  public func learn(databaseID: UniqueID, on loop: EventLoop) async throws(SpoolError) -> SpoolProblem? {
    // Asked for at every connecting, and nearly always known.
    guard databaseID != self.databaseID else { return nil }
    return try await loop.offLoop { () throws(SpoolError) in try self.learn(databaseID: databaseID) }
  }

  /// See ``write(_:by:)``.
  public func write(
    _ entries: [SpoolEntry], by sealer: Sealer, on loop: EventLoop
  ) async throws(SpoolError) -> SpoolFile {
    try await loop.offLoop { () throws(SpoolError) in try self.write(entries, by: sealer) }
  }

  /// See ``forceToDisk(_:holding:)``.
  public func forceToDisk(
    _ file: SpoolFile, holding entries: [SpoolEntry], on loop: EventLoop
  ) async throws(SpoolError) {
    try await loop.offLoop { () throws(SpoolError) in try self.forceToDisk(file, holding: entries) }
  }

  /// See ``remove(_:)``.
  public func remove(_ file: SpoolFile, on loop: EventLoop) async throws(SpoolError) {
    try await loop.offLoop { () throws(SpoolError) in try self.remove(file) }
  }

  /// See ``keysInUse(for:)``.
  public func keysInUse(for databaseID: UniqueID, on loop: EventLoop) async throws(SpoolError) -> Set<KeyID> {
    guard summary.files > 0 else { return [] }
    return try await loop.offLoop { () throws(SpoolError) in try self.keysInUse(for: databaseID) }
  }

  /// See ``contents(of:by:now:)``.
  public func contents(
    of file: SpoolFile, by sealer: Sealer, now: Timestamp, on loop: EventLoop
  ) async throws(SpoolError) -> SpoolContents {
    try await loop.offLoop { () throws(SpoolError) in try self.contents(of: file, by: sealer, now: now) }
  }

  /// See ``settle(_:_:)``.
  public func settle(_ file: SpoolFile, _ contents: SpoolContents, on loop: EventLoop) async throws(SpoolError) {
    try await loop.offLoop { () throws(SpoolError) in try self.settle(file, contents) }
  }

  /// See ``forget(_:saidUntil:by:)``.
  public func forget(
    _ identities: Set<IdentityKey>, saidUntil moment: Timestamp, by sealer: Sealer, on loop: EventLoop
  ) async throws(SpoolError) {
    try await loop.offLoop { () throws(SpoolError) in try self.forget(identities, saidUntil: moment, by: sealer) }
  }

  /// See ``removeExpired(now:)``.
  @discardableResult
  public func removeExpired(now: Timestamp, on loop: EventLoop) async throws(SpoolError) -> Int {
    try await loop.offLoop { () throws(SpoolError) in try self.removeExpired(now: now) }
  }
}
