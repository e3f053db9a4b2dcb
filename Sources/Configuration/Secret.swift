import Glibc

/// Text that must not be seen: passwords, private keys, connection strings that may hold a password.
///
/// It prints as `<redacted>` wherever it turns up, and its bytes are overwritten when the last owner lets go. Copies
/// that a reader makes from `text` are the reader's to be careful with.
///
/// Unchecked: the bytes are written in `init` and `deinit` only, when there is exactly one owner.
public final class Secret: @unchecked Sendable {
  private var bytes: [UInt8]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  public convenience init(_ text: String) {
    self.init(Array(text.utf8))
  }

  deinit {
    bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      explicit_bzero(start, buffer.count)
    }
  }

  /// The secret itself, for the one call that needs it.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The secret as bytes, for the one call that needs it.
  public var revealedBytes: [UInt8] { bytes }

  public var isEmpty: Bool { bytes.isEmpty }
}

extension Secret: Equatable {
  /// Takes the same time wherever two secrets of one length differ.
  public static func == (left: Secret, right: Secret) -> Bool {
    guard left.bytes.count == right.bytes.count else { return false }
    return zip(left.bytes, right.bytes).reduce(0 as UInt8) { $0 | $1.0 ^ $1.1 } == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
