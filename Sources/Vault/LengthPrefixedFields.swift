import Accounts

/// Fields one after the other, each preceded by the number of its bytes, so that no two lists of fields give the same
/// bytes.
struct LengthPrefixedFields {
  private(set) var bytes: [UInt8] = []

  init() {
    // What the additional data of a usual record takes.
    bytes.reserveCapacity(256)
  }

  mutating func append(_ field: some Collection<UInt8>) {
    appendBytes(of: Int64(field.count))
    bytes.append(contentsOf: field)
  }

  mutating func append(_ number: Int64) {
    appendBytes(of: 8)
    appendBytes(of: number)
  }

  /// The 16 bytes of RFC 9562.
  mutating func append(_ id: UniqueID) {
    appendBytes(of: 16)
    appendBytes(of: Int64(bitPattern: id.high))
    appendBytes(of: Int64(bitPattern: id.low))
  }

  /// The most significant byte first.
  private mutating func appendBytes(of number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
