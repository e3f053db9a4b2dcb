import Crypto
import JSON

extension Base64 {
  /// What a text stands for; nil when it is no base64.
  public static func decode(_ text: UnsafeRawBufferPointer, for life: SecretBytes.Life = .call) -> SecretBytes? {
    guard let count = byteCount(of: text) else { return nil }
    var isRight = false
    let secret = SecretBytes(count: count, for: life) { isRight = decode(text, into: $0) }
    return isRight ? secret : nil
  }

  /// The text of a secret, which is as secret.
  public static func encode(_ secret: SecretBytes) -> SecretBytes {
    SecretBytes(count: textBytes(for: secret.count)) { text in
      secret.withUnsafeBytes { encode($0, into: text) }
    }
  }
}
