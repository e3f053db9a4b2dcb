/// Why a call of this target came to nothing. It never tells anything of keys or contents.
public enum CryptoError: Error, Hashable, Sendable {
  /// A key has not the length that the algorithm asks for.
  case keyLength
  /// A nonce has not the length that the algorithm asks for.
  case nonceLength
  /// There is more input, or more output was asked for, than the algorithm can take.
  case tooLong
  /// A ciphertext, its additional data, its nonce or its key is not what it was sealed with.
  case notAuthentic
  /// libcrypto failed by itself: memory is out, or it was built or configured without the algorithm.
  case unavailable
}
