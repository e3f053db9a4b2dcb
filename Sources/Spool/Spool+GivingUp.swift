import Accounts
import Vault

/// Files of a spool in which nothing can be opened any more, because the keys that sealed it are lost.
public struct SpoolLoss: Hashable, Sendable {
  public internal(set) var files: [SpoolFile] = []
  /// What first sign-ins said of people.
  public internal(set) var entries = 0
  public internal(set) var keys: Set<KeyID> = []

  /// Nothing.
  public init() {}
}

extension Spool {
  /// Looks for the files that rest here for a database, those that were set aside included, and are sealed by none of the known
  /// keys. A batch is sealed by one key, so a file is lost whole or not at all.
  public func loss(for databaseID: UniqueID, knowing known: Set<KeyID>) throws(SpoolError) -> SpoolLoss {
    var loss = SpoolLoss()
    for (file, bytes) in try resting(for: databaseID) {
      let keys = Set(SpoolFormat.pieces(in: bytes).0.compactMap { try? SealedRecord($0.record).keyID })
      guard !keys.isEmpty, keys.isDisjoint(with: known) else { continue }
      loss.files.append(file)
      loss.entries += SpoolFormat.Head(bytes)?.entries ?? 0
      loss.keys.formUnion(keys)
    }
    return loss
  }

  /// Removes these files, for good.
  public func giveUp(_ loss: SpoolLoss) throws(SpoolError) {
    for file in loss.files { try removeResting(file) }
  }
}
