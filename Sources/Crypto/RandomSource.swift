import CLibCrypto

/// Where keys and nonces come from: ``system``, unless a test wants the same ones every time.
public struct RandomSource: Sendable {
  private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Bool

  /// - Parameter fill: writes every byte of the buffer and answers true, or answers false.
  public init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Bool) {
    self.fill = fill
  }

  /// The generator of libcrypto, which the kernel seeds.
  public static let system = RandomSource { buffer in
    guard let start = buffer.baseAddress, let count = Int32(exactly: buffer.count) else { return buffer.isEmpty }
    return RAND_bytes(start.assumingMemoryBound(to: UInt8.self), count) == 1
  }

  /// Bytes that need not be hidden, such as nonces.
  public func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard bytes.withUnsafeMutableBytes(fill) else { throw .unavailable }
    return bytes
  }

  /// Bytes that must be hidden, such as keys.
  public func secret(_ count: Int, for life: SecretBytes.Life = .call) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: count, for: life) { (buffer) throws(CryptoError) in
      guard fill(buffer) else { throw .unavailable }
    }
  }
}
