import Crypto

/// What is stored of a sealed content: everything that is needed to open it but the root key and the place it belongs to.
///
/// ```
/// 1   version of this format: 1
/// 1   algorithm: 1 (AES-256-GCM for both layers)
/// 1   length of the key id, 1 to 32
/// n   key id
/// 12  nonce of the data key      ┐
/// 32  data key, encrypted        ├ wrapped by the root key of that id
/// 16  tag of the data key        ┘
/// 12  nonce of the content       ┐
/// m   content, encrypted         ├ sealed by the data key
/// 16  tag of the content         ┘
/// ```
public struct SealedRecord: Hashable, Sendable {
  static let version: UInt8 = 1
  static let algorithm: UInt8 = 1
  /// A secret of 64 KiB and as much again beside it.
  public static let contentBytesMax = 128 * 1024

  static let dataKeyBytes = AES256GCM.keyBytes
  private static let headBytes = 3
  private static let wrappedKeyBytes = AES256GCM.nonceBytes + dataKeyBytes + AES256GCM.tagBytes
  private static let overheadBytes = wrappedKeyBytes + AES256GCM.nonceBytes + AES256GCM.tagBytes
  /// What a column must hold.
  public static let bytesMax = headBytes + KeyID.bytesMax + overheadBytes + contentBytesMax

  /// The whole record as it is stored.
  public let bytes: [UInt8]
  /// The root key that the data key is wrapped by.
  public let keyID: KeyID

  /// Reads a stored record. That it is well formed says nothing about whether it is genuine.
  ///
  /// - Throws: `.invalid`.
  public init(_ bytes: [UInt8]) throws(SealingError) {
    guard bytes.count <= Self.bytesMax, bytes.count > Self.headBytes, bytes[0] == Self.version,
      bytes[1] == Self.algorithm
    else { throw .invalid }
    let idCount = Int(bytes[2])
    guard (1...KeyID.bytesMax).contains(idCount),
      (0...Self.contentBytesMax).contains(bytes.count - Self.headBytes - idCount - Self.overheadBytes),
      let keyID = KeyID(bytes[Self.headBytes..<(Self.headBytes + idCount)])
    else { throw .invalid }
    self.bytes = bytes
    self.keyID = keyID
  }

  /// The parts of a record that was just made: a wrapped key begins with its nonce, and so does a content.
  init(keyID: KeyID, wrappedKey: [UInt8], sealedContent: some Collection<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headBytes + KeyID.bytesMax + wrappedKey.count + sealedContent.count)
    bytes += [Self.version, Self.algorithm, UInt8(keyID.bytes.count)]
    bytes += keyID.bytes
    bytes += wrappedKey
    bytes += sealedContent
    self.bytes = bytes
    self.keyID = keyID
  }

  private var wrappedKeyStart: Int { Self.headBytes + Int(bytes[2]) }

  /// Nonce, encrypted data key, tag.
  var wrappedKey: ArraySlice<UInt8> { bytes[wrappedKeyStart..<(wrappedKeyStart + Self.wrappedKeyBytes)] }

  /// Nonce, encrypted content, tag.
  var sealedContent: ArraySlice<UInt8> { bytes[(wrappedKeyStart + Self.wrappedKeyBytes)...] }
}
