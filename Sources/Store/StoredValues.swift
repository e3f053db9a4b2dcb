import Accounts
import Postgres

extension UniqueID: BinaryValue {
  public static var typeOID: UInt32 { 2950 }

  public func append(to bytes: inout [UInt8]) {
    high.appendBigEndian(to: &bytes)
    low.appendBigEndian(to: &bytes)
  }
}

extension Timestamp: BinaryValue {
  public static var typeOID: UInt32 { 1184 }

  public func append(to bytes: inout [UInt8]) {
    (microseconds - RowReader.microsecondsTo2000).appendBigEndian(to: &bytes)
  }
}

extension ExactText: BinaryValue {
  public static var typeOID: UInt32 { 25 }

  public func append(to bytes: inout [UInt8]) { string.append(to: &bytes) }
}

extension RowReader {
  mutating func id<ID: TypedID>(_: ID.Type = ID.self) throws(PostgresError) -> ID {
    try require(optionalID())
  }

  mutating func optionalID<ID: TypedID>(_: ID.Type = ID.self) throws(PostgresError) -> ID? {
    try optionalUUID().map { ID(UniqueID(high: $0.high, low: $0.low)) }
  }

  mutating func timestamp() throws(PostgresError) -> Timestamp {
    try require(optionalTimestamp())
  }

  mutating func optionalTimestamp() throws(PostgresError) -> Timestamp? {
    try optionalMicroseconds().map { Timestamp(microseconds: $0) }
  }

  mutating func exactText() throws(PostgresError) -> ExactText {
    ExactText(try text())
  }

  mutating func optionalExactText() throws(PostgresError) -> ExactText? {
    try optionalText().map { ExactText($0) }
  }

  /// A value of an enum that is stored as its raw text.
  mutating func word<Value: RawRepresentable>(
    _: Value.Type = Value.self
  ) throws(PostgresError) -> Value where Value.RawValue == String {
    let word = try text()
    guard let value = Value(rawValue: word) else { throw .unexpectedAnswer("nobody here knows the word \(word)") }
    return value
  }

  /// The position in a batch that a row belongs to; PostgreSQL counts from one.
  mutating func position() throws(PostgresError) -> Int {
    Int(try integer(Int64.self)) - 1
  }
}
