import Accounts
import JSON

/// Text that must not be seen, such as a token: as it is on the wire. It is overwritten when the last owner lets go, and prints
/// as `<redacted>` wherever it turns up.
public struct SecretText: Equatable, Sendable {
  private let utf8: SecretValue

  public init(copying utf8: some Collection<UInt8>) {
    self.utf8 = SecretValue(copying: utf8)
  }

  /// Calls `body` with the UTF-8 bytes, for the one call that needs them. It must not keep the buffer.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try utf8.withUnsafeBytes(body)
  }

  /// A copy of the text, which is the caller's to be careful with.
  public var revealed: String { utf8.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

extension SecretText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretText: WireValue {
  public static func decode(_ json: JSONValue, _ limits: TextLimits, _ side: WireSide) throws(ShapeProblem)
    -> SecretText
  {
    let text = try json.withUTF8 { (utf8) throws(ShapeProblem) -> SecretText in
      guard !utf8.isEmpty else { throw ShapeProblem.empty }
      if side == .parameters, let problem = limits.problem(of: utf8) { throw problem }
      return SecretText(copying: utf8)
    }
    guard let text else { throw .wrongType("text") }
    return text
  }

  public func encode(into writer: inout JSONWriter) {
    utf8.withUnsafeBytes { bytes in
      // What the daemon makes needs no escape and goes straight into the writer, which is wiped.
      guard bytes.allSatisfy(Self.isPlain) else { return writer.string(revealed) }
      writer.plainString(capacity: bytes.count) { text in
        UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
        return bytes.count
      }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  public static func describe(_ limits: TextLimits, into schema: inout SchemaWriter) {
    ExactText.describe(limits, into: &schema)
  }
}
