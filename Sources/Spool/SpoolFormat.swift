import Accounts
import Vault

/// A file of the spool, numbers with the most significant byte first:
///
/// ```
/// 7   "kithspl"
/// 1   version of this format: 1
/// 16  id of the database that the entries are for
/// 8   when the last of them expires, microseconds since 1970
/// 4   number of entries
///     and each of them:
/// 16    id of the registration
/// 4     length of the sealed record
/// n     sealed record
/// 4     length of the sealed record, again
/// ```
///
/// The second length lets a reader come from the end, so that a wrong length harms one entry alone.
enum SpoolFormat {
  static let mark: [UInt8] = Array("kithspl".utf8) + [1]

  /// What stands before the entries.
  struct Head: Hashable {
    static let bytes = SpoolFormat.mark.count + 16 + 8 + 4
    let databaseID: UniqueID
    let expiresAt: Timestamp
    let entries: Int

    init(databaseID: UniqueID, expiresAt: Timestamp, entries: Int) {
      self.databaseID = databaseID
      self.expiresAt = expiresAt
      self.entries = entries
    }

    /// The same of a file whose last entry expires at this time, or later as before.
    func lasting(until time: Timestamp) -> Head {
      Head(databaseID: databaseID, expiresAt: max(expiresAt, time), entries: entries)
    }

    /// Nil unless the bytes begin with a head.
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= Self.bytes, bytes.starts(with: SpoolFormat.mark) else { return nil }
      let start = SpoolFormat.mark.count
      databaseID = bytes.id(at: start)
      expiresAt = Timestamp(microseconds: bytes.number(at: start + 16))
      entries = Int(bytes.number(at: start + 24) as UInt32)
    }
  }

  /// An entry as it lies in a file.
  struct Piece: Hashable {
    let id: RegistrationID
    let record: [UInt8]

    /// What an entry takes beside its record.
    static let overhead = 16 + 4 + 4
  }

  /// How the entries of a file were found.
  enum State: Hashable {
    case whole
    /// The file ends too early: whoever wrote it was ended meanwhile.
    case torn
    /// There is something in it that is no entry.
    case damaged
  }

  static func bytes(_ head: Head, _ pieces: [Piece]) -> [UInt8] {
    var bytes = mark
    bytes.reserveCapacity(Head.bytes + pieces.reduce(0) { $0 + Piece.overhead + $1.record.count })
    bytes.append(id: head.databaseID)
    bytes.append(number: head.expiresAt.microseconds)
    bytes.append(number: UInt32(head.entries))
    for piece in pieces {
      bytes.append(id: piece.id.unique)
      bytes.append(number: UInt32(piece.record.count))
      bytes.append(contentsOf: piece.record)
      bytes.append(number: UInt32(piece.record.count))
    }
    return bytes
  }

  /// Every entry of a file that can be told from the others, in their order.
  static func pieces(in bytes: [UInt8]) -> ([Piece], State) {
    var start = Head.bytes
    var end = bytes.count
    var pieces: [Piece] = []
    while let piece = piece(in: bytes, at: start, end: end) {
      pieces.append(piece)
      start += Piece.overhead + piece.record.count
    }
    guard start < end else { return (pieces, .whole) }
    var fromEnd: [Piece] = []
    while let piece = piece(in: bytes, before: end, start: start) {
      fromEnd.append(piece)
      end -= Piece.overhead + piece.record.count
    }
    let gap = end - start
    // What one of its lengths says is there to the last byte was not torn off.
    let isComplete =
      gap >= Piece.overhead
      && [length(in: bytes, at: start + 16), length(in: bytes, at: end - 4)].contains(gap - Piece.overhead)
    let isTorn = fromEnd.isEmpty && !isComplete
    return (pieces + fromEnd.reversed(), isTorn ? .torn : gap > 0 ? .damaged : .whole)
  }

  private static func piece(in bytes: [UInt8], at start: Int, end: Int) -> Piece? {
    guard end - start >= Piece.overhead else { return nil }
    let count = length(in: bytes, at: start + 16)
    // A disk that lost what was written gives zeros, and those are no entry.
    guard count > 0, count <= end - start - Piece.overhead, length(in: bytes, at: start + 20 + count) == count else {
      return nil
    }
    return Piece(
      id: RegistrationID(bytes.id(at: start)), record: Array(bytes[(start + 20)..<(start + 20 + count)]))
  }

  private static func piece(in bytes: [UInt8], before end: Int, start: Int) -> Piece? {
    guard end - start >= Piece.overhead else { return nil }
    let count = length(in: bytes, at: end - 4)
    guard count <= end - start - Piece.overhead else { return nil }
    return piece(in: bytes, at: end - Piece.overhead - count, end: end)
  }

  private static func length(in bytes: [UInt8], at position: Int) -> Int {
    Int(bytes.number(at: position) as UInt32)
  }
}

extension [UInt8] {
  mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// The 16 bytes of RFC 9562.
  mutating func append(id: UniqueID) {
    append(number: id.high)
    append(number: id.low)
  }

  /// The number that stands there; the bytes must reach that far.
  func number<Number: FixedWidthInteger>(at position: Int) -> Number {
    self[position..<(position + Number.bitWidth / 8)].reduce(0) { $0 << 8 | Number($1) }
  }

  func id(at position: Int) -> UniqueID {
    UniqueID(high: number(at: position), low: number(at: position + 8))
  }
}
