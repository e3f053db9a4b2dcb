import CLibCrypto
import Glibc

/// Bytes that must not be seen: keys, and what was sealed with them.
///
/// They are overwritten when the last owner lets go, and print as `<redacted>` wherever they turn up.
///
/// Unchecked: the bytes are written in `init` and `deinit` only, when there is exactly one owner.
public final class SecretBytes: @unchecked Sendable {
  /// How long a secret lives decides where it is kept.
  public enum Life: Sendable {
    /// As long as one call: in ordinary memory.
    case call
    /// As long as the process: in pages of its own that core files leave out, and that are not swapped out as far as
    /// the process may lock memory (`RLIMIT_MEMLOCK`).
    case process
  }

  private let bytes: UnsafeMutableRawBufferPointer
  private let life: Life
  /// Whether the bytes cannot be swapped out.
  public let isLockedInMemory: Bool

  /// - Parameters:
  ///   - count: how many bytes there are; all are zero at first.
  ///   - fill: writes them; it must not keep the buffer.
  public init<E: Error>(
    count: Int, for life: Life = .call, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    self.life = life
    switch life {
    case .call:
      bytes = .allocate(byteCount: count, alignment: 16)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      isLockedInMemory = false
    case .process:
      (bytes, isLockedInMemory) = Self.ownPages(count)
    }
    try fill(bytes)
  }

  public convenience init(copying source: some Collection<UInt8>, for life: Life = .call) {
    self.init(count: source.count, for: life) { $0.copyBytes(from: source) }
  }

  deinit {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    switch life {
    case .call: bytes.deallocate()
    case .process: munmap(bytes.baseAddress, max(1, bytes.count))
    }
  }

  private static func ownPages(_ count: Int) -> (UnsafeMutableRawBufferPointer, isLocked: Bool) {
    let pages = mmap(nil, max(1, count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    // Fails only when memory is out, as any allocation would.
    guard let pages, pages != MAP_FAILED else { preconditionFailure("no memory for \(count) bytes") }
    madvise(pages, max(1, count), MADV_DONTDUMP)
    let isLocked = mlock(pages, max(1, count)) == 0
    return (UnsafeMutableRawBufferPointer(start: pages, count: count), isLocked)
  }

  public var count: Int { bytes.count }

  /// Calls `body` with the bytes, for the one call that needs them. It must not keep the buffer.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(bytes))
  }

  /// A copy of the bytes, which is the caller's to be careful with.
  public var revealedBytes: [UInt8] { Array(bytes) }
}

extension SecretBytes: Equatable {
  /// Takes the same time wherever two secrets of one length differ.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left.bytes.baseAddress, right.bytes.baseAddress, left.count) == 0
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
