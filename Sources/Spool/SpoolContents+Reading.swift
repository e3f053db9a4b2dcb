import Accounts
import Vault

extension SpoolContents {
  /// Of a file that cannot be read.
  init(_ file: SpoolFile, _ problem: SpoolProblem.Kind) {
    self.init()
    tell(problem, of: file)
  }

  /// - Parameter asSaidLast: gives each entry the time at which it was said last.
  /// - Throws: `.sealing` when the cryptographic library fails, which says nothing about any entry.
  init(
    of file: SpoolFile, _ bytes: [UInt8], by sealer: Sealer, now: Timestamp,
    asSaidLast: (SpoolEntry) -> SpoolEntry = { $0 }
  ) throws(SpoolError) {
    guard let head = SpoolFormat.Head(bytes) else {
      // What was not written to the end of its head holds nothing that could be looked after.
      let isTorn = bytes.count < SpoolFormat.Head.bytes && SpoolFormat.mark.starts(with: bytes.prefix(8))
      self.init(file, isTorn ? .torn(missing: nil) : .unknownFormat)
      return
    }
    self.init()
    guard head.databaseID == sealer.databaseID else {
      tell(.otherDatabase(head.databaseID), of: file)
      return
    }
    let (pieces, state) = SpoolFormat.pieces(in: bytes)
    for piece in pieces { try open(piece, of: file, by: sealer, now: now, asSaidLast) }
    let missing = head.entries - pieces.count
    switch state {
    case .whole where missing == 0: break
    case .whole where missing > 0, .torn: tell(.torn(missing: max(0, missing)), of: file)
    case .whole, .damaged: tell(.damaged(missing: max(0, missing)), of: file)
    }
  }

  private mutating func open(
    _ piece: SpoolFormat.Piece, of file: SpoolFile, by sealer: Sealer, now: Timestamp,
    _ asSaidLast: (SpoolEntry) -> SpoolEntry
  ) throws(SpoolError) {
    do throws(SealingError) {
      let entry = try SpoolEntry.open(piece.record, id: piece.id, by: sealer).map(asSaidLast)
      guard let entry else { return tell(.unknownContent(piece.id), of: file) }
      if entry.expiresAt > now { entries.append(entry) } else { expired += 1 }
    } catch .unavailable {
      throw .sealing(.unavailable, piece.id)
    } catch {
      tell(.sealed(piece.id, error), of: file)
    }
  }

  private mutating func tell(_ kind: SpoolProblem.Kind, of file: SpoolFile) {
    problems.append(SpoolProblem(file: file.name, kind: kind))
  }
}
