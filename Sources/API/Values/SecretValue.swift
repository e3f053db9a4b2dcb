import Glibc
import JSON

/// Bytes that must not be seen: base64 on the wire. They are overwritten when the last owner lets go, and print as
/// `<redacted>` wherever they turn up.
///
/// Unchecked: the bytes are written in `init` and `deinit` only, when there is exactly one owner.
public final class SecretValue: @unchecked Sendable {
  private let bytes: UnsafeMutableRawBufferPointer

  /// - Parameters:
  ///   - count: how many bytes there are; all are zero at first.
  ///   - fill: writes them; it must not keep the buffer.
  public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    bytes = .allocate(byteCount: count, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    fill(bytes)
  }

  public convenience init(copying source: some Collection<UInt8>) {
    self.init(count: source.count) { $0.copyBytes(from: source) }
  }

  deinit {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    bytes.deallocate()
  }

  public var count: Int { bytes.count }

  /// Calls `body` with the bytes, for the one call that needs them. It must not keep the buffer.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(bytes))
  }

  /// A copy of the bytes, which is the caller's to be careful with.
  public var revealedBytes: [UInt8] { Array(bytes) }
}

extension SecretValue: Equatable {
  /// For tests of what was read: it does not take the same time for all that differ.
  public static func == (left: SecretValue, right: SecretValue) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How long a secret may be.
public struct SecretLimits: Sendable {
  let bytes: ClosedRange<Int>

  public static func bytes(_ bytes: ClosedRange<Int>) -> SecretLimits { SecretLimits(bytes: bytes) }
}

extension SecretValue: WireValue {
  public static func decode(_ json: JSONValue, _ limits: SecretLimits, _ side: WireSide) throws(ShapeProblem) -> Self {
    let secret = try json.withUTF8 { (utf8) throws(ShapeProblem) -> Self in
      guard !utf8.isEmpty else { throw ShapeProblem.empty }
      let text = UnsafeRawBufferPointer(utf8)
      guard let count = Base64.byteCount(of: text) else { throw notBase64 }
      // Before anything is decoded.
      guard side == .result || limits.bytes.contains(count) else {
        throw ShapeProblem(
          .length, "must stand for \(limits.bytes.lowerBound) to \(limits.bytes.upperBound) bytes")
      }
      var isRight = false
      let secret = Self(count: count) { isRight = Base64.decode(text, into: $0) }
      guard isRight else { throw notBase64 }
      return secret
    }
    guard let secret else { throw .wrongType("base64 as text") }
    return secret
  }

  private static var notBase64: ShapeProblem {
    ShapeProblem(.format, "must be standard base64, with padding, without blanks, and in its one spelling")
  }

  public func encode(into writer: inout JSONWriter) {
    writer.plainString(capacity: Base64.textBytes(for: count)) { text in
      let text = UnsafeMutableRawBufferPointer(text)
      Base64.encode(UnsafeRawBufferPointer(bytes), into: text)
      return text.count
    }
  }

  public static func describe(_ limits: SecretLimits, into schema: inout SchemaWriter) {
    schema.json.member("type")
    schema.json.string("string" as StaticString)
    schema.json.member("contentEncoding")
    schema.json.string("base64" as StaticString)
    schema.json.member("minLength")
    schema.json.integer(Base64.textBytes(for: limits.bytes.lowerBound))
    schema.json.member("maxLength")
    schema.json.integer(Base64.textBytes(for: limits.bytes.upperBound))
  }
}
