/// A value that PostgreSQL takes as a parameter in its binary format.
public protocol BinaryValue {
  /// The type's object id (`pg_type.oid`), which arrays carry.
  static var typeOID: UInt32 { get }
  /// Appends the binary form, without its length.
  func append(to bytes: inout [UInt8])
}

extension FixedWidthInteger {
  /// Appends the integer in network byte order.
  @inlinable
  public func appendBigEndian(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension Int16: BinaryValue {
  public static var typeOID: UInt32 { 21 }
  public func append(to bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
}

extension Int32: BinaryValue {
  public static var typeOID: UInt32 { 23 }
  public func append(to bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
}

extension Int64: BinaryValue {
  public static var typeOID: UInt32 { 20 }
  public func append(to bytes: inout [UInt8]) { appendBigEndian(to: &bytes) }
}

extension Bool: BinaryValue {
  public static var typeOID: UInt32 { 16 }
  public func append(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension String: BinaryValue {
  public static var typeOID: UInt32 { 25 }
  public func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

/// Bytes for a `bytea` parameter.
public struct ByteString: BinaryValue, Sendable {
  public let bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  public static var typeOID: UInt32 { 17 }
  public func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }
}

/// JSON text for a `json` parameter.
public struct JSONText: BinaryValue, Sendable {
  public let text: String
  public init(_ text: String) { self.text = text }
  public static var typeOID: UInt32 { 114 }
  public func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: text.utf8) }
}
