import CLibPQ

/// The rows that one statement gave.
///
/// `@unchecked Sendable`: libpq's result is only read once it is here, which libpq allows from any thread.
public final class QueryResult: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(owning result: OpaquePointer) {
    self.result = result
  }

  deinit { PQclear(result) }

  public var rowCount: Int { Int(PQntuples(result)) }

  /// How many rows a statement without rows changed.
  public var affectedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// Whether the statement was a COMMIT that committed: in a transaction that had failed before, COMMIT rolls back and is no
  /// error.
  var isCommit: Bool { String(cString: PQcmdStatus(result)) == "COMMIT" }

  /// Decodes one row after the other.
  @inlinable
  public func forEachRow<Failure: Error>(_ body: (inout RowReader) throws(Failure) -> Void) throws(Failure) {
    for row in 0..<rowCount {
      var reader = reader(row: row)
      try body(&reader)
    }
  }

  @usableFromInline
  func reader(row: Int) -> RowReader {
    RowReader(result: result, row: Int32(row))
  }
}

/// Reads the columns of one row from left to right.
public struct RowReader {
  private let result: OpaquePointer
  private let row: Int32
  private var column: Int32 = 0

  init(result: OpaquePointer, row: Int32) {
    self.result = result
    self.row = row
  }

  /// The next column's bytes; nil for NULL.
  public mutating func bytes() throws(PostgresError) -> UnsafeRawBufferPointer? {
    guard column < PQnfields(result) else { throw .unexpectedAnswer("a row has fewer columns than expected") }
    defer { column += 1 }
    guard PQgetisnull(result, row, column) == 0 else { return nil }
    return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  public mutating func optionalText() throws(PostgresError) -> String? {
    try bytes().map { String(decoding: $0, as: UTF8.self) }
  }

  public mutating func text() throws(PostgresError) -> String {
    try require(optionalText())
  }

  public mutating func optionalInteger<Value: FixedWidthInteger>(
    _: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    guard let bytes = try bytes() else { return nil }
    guard bytes.count == MemoryLayout<Value>.size else {
      throw .unexpectedAnswer("column \(column) has \(bytes.count) bytes")
    }
    return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
  }

  public mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(PostgresError) -> Value {
    try require(optionalInteger(Value.self))
  }

  public mutating func bool() throws(PostgresError) -> Bool {
    try integer(UInt8.self) != 0
  }

  public mutating func optionalBool() throws(PostgresError) -> Bool? {
    try optionalInteger(UInt8.self).map { $0 != 0 }
  }

  /// The two halves of a `uuid`.
  public mutating func optionalUUID() throws(PostgresError) -> (high: UInt64, low: UInt64)? {
    guard let bytes = try bytes() else { return nil }
    return try Self.uuid(in: bytes)
  }

  /// A one-dimensional `uuid[]`; empty for NULL.
  public mutating func uuids() throws(PostgresError) -> [(high: UInt64, low: UInt64)] {
    var found: [(high: UInt64, low: UInt64)] = []
    try forEachElement { element throws(PostgresError) in found.append(try Self.uuid(in: element)) }
    return found
  }

  /// A one-dimensional `text[]`; empty for NULL.
  public mutating func texts() throws(PostgresError) -> [String] {
    var found: [String] = []
    try forEachElement { element throws(PostgresError) in found.append(String(decoding: element, as: UTF8.self)) }
    return found
  }

  /// Microseconds since 1970 of a `timestamptz`.
  public mutating func optionalMicroseconds() throws(PostgresError) -> Int64? {
    try optionalInteger(Int64.self).map { $0 &+ Self.microsecondsTo2000 }
  }

  /// PostgreSQL counts from 2000-01-01.
  public static let microsecondsTo2000: Int64 = 946_684_800_000_000

  /// The value, or an error if there is none.
  public func require<Value>(_ value: Value?) throws(PostgresError) -> Value {
    guard let value else { throw .unexpectedAnswer("column \(column) is NULL") }
    return value
  }

  private static func uuid(in bytes: UnsafeRawBufferPointer) throws(PostgresError) -> (high: UInt64, low: UInt64) {
    guard bytes.count == 16 else { throw .unexpectedAnswer("a uuid has \(bytes.count) bytes") }
    return (
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  private mutating func forEachElement(
    _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Void
  ) throws(PostgresError) {
    guard let bytes = try bytes() else { return }
    let malformed = PostgresError.unexpectedAnswer("an array does not have the expected form")
    func word(at offset: Int) throws(PostgresError) -> Int {
      guard offset + 4 <= bytes.count else { throw malformed }
      return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
    guard try word(at: 0) != 0 else { return }
    guard try word(at: 0) == 1 else { throw malformed }
    let count = try word(at: 12)
    guard count >= 0 else { throw malformed }
    var offset = 20
    for _ in 0..<count {
      let length = try word(at: offset)
      offset += 4
      guard length >= 0, offset + length <= bytes.count else { throw malformed }
      try body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
      offset += length
    }
  }
}
