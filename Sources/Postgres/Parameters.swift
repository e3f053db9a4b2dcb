/// The parameters of one statement, all in binary format, in order.
///
/// Statements name the type of each parameter with a cast (`$1::int4[]`), so only arrays carry type ids.
public struct Parameters: Sendable {
  private(set) var bytes: [UInt8] = []
  /// Where each parameter ends in `bytes`; negative for NULL.
  private(set) var ends: [Int] = []

  public init() {}

  public var count: Int { ends.count }

  public mutating func add(_ value: some BinaryValue) {
    value.append(to: &bytes)
    ends.append(bytes.count)
  }

  public mutating func add(_ value: (some BinaryValue)?) {
    if let value { add(value) } else { ends.append(-1) }
  }

  /// Adds a one-dimensional array.
  public mutating func add<Value: BinaryValue>(array values: some Collection<Value>) {
    appendArrayHeader(Value.self, count: values.count, hasNull: false)
    for value in values { appendElement(value) }
    ends.append(bytes.count)
  }

  /// Adds a one-dimensional array of which elements may be NULL.
  public mutating func add<Value: BinaryValue>(optionals values: some Collection<Value?>) {
    appendArrayHeader(Value.self, count: values.count, hasNull: true)
    for value in values {
      if let value { appendElement(value) } else { Int32(-1).appendBigEndian(to: &bytes) }
    }
    ends.append(bytes.count)
  }

  /// Adds one element a record of `records`: the column of a batch.
  @inlinable
  public mutating func add<Record, Value: BinaryValue>(column value: (Record) -> Value, of records: [Record]) {
    beginArray(Value.self, count: records.count, hasNull: false)
    for record in records { append(element: value(record)) }
    endArray()
  }

  /// As ``add(column:of:)`` for a column that may be NULL.
  @inlinable
  public mutating func add<Record, Value: BinaryValue>(optional value: (Record) -> Value?, of records: [Record]) {
    beginArray(Value.self, count: records.count, hasNull: true)
    for record in records { append(element: value(record)) }
    endArray()
  }

  @usableFromInline
  mutating func beginArray<Value: BinaryValue>(_: Value.Type, count: Int, hasNull: Bool) {
    appendArrayHeader(Value.self, count: count, hasNull: hasNull)
  }

  @usableFromInline
  mutating func append<Value: BinaryValue>(element: Value?) {
    if let element { appendElement(element) } else { Int32(-1).appendBigEndian(to: &bytes) }
  }

  @usableFromInline
  mutating func endArray() {
    ends.append(bytes.count)
  }

  private mutating func appendArrayHeader<Value: BinaryValue>(_: Value.Type, count: Int, hasNull: Bool) {
    Int32(count == 0 ? 0 : 1).appendBigEndian(to: &bytes)
    Int32(hasNull ? 1 : 0).appendBigEndian(to: &bytes)
    Value.typeOID.appendBigEndian(to: &bytes)
    guard count > 0 else { return }
    Int32(count).appendBigEndian(to: &bytes)
    Int32(1).appendBigEndian(to: &bytes)
  }

  private mutating func appendElement(_ value: some BinaryValue) {
    let lengthAt = bytes.count
    Int32(0).appendBigEndian(to: &bytes)
    value.append(to: &bytes)
    let length = UInt32(bytes.count - lengthAt - 4)
    for place in 0..<4 {
      bytes[lengthAt + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place))
    }
  }

  /// Calls `body` with what libpq wants: count, values, lengths and formats.
  func withLibpqArrays<Result>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: max(count, 1)) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: max(2 * count, 1)) { numbers in
          // Never nil for an empty value: libpq takes a null pointer for NULL.
          let empty = numbers.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
          var start = 0
          for (index, end) in ends.enumerated() {
            if end < 0 {
              values[index] = nil
              numbers[index] = 0
            } else {
              let address = bytes.baseAddress.map { $0.advanced(by: start).assumingMemoryBound(to: CChar.self) }
              values[index] = address ?? empty
              numbers[index] = Int32(end - start)
              start = end
            }
            numbers[count + index] = 1
          }
          let lengths = UnsafePointer(numbers.baseAddress)
          return body(Int32(count), UnsafePointer(values.baseAddress), lengths, lengths?.advanced(by: count))
        }
      }
    }
  }
}
