import Crypto

/// Text that must not be seen: passwords, private keys, connection strings that may hold a password.
///
/// It prints as `<redacted>` wherever it turns up, and its bytes are overwritten when the last owner lets go. Copies
/// that a reader makes from `text` are the reader's to be careful with.
public struct Secret: Equatable, Sendable {
  public let bytes: SecretBytes

  public init(_ bytes: SecretBytes) {
    self.bytes = bytes
  }

  public init(_ text: String) {
    self.init(SecretBytes(copying: text.utf8))
  }

  /// The secret itself, for the one call that needs it.
  public var text: String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

  public var isEmpty: Bool { bytes.count == 0 }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
