import Crypto
import Glibc
import JSON

/// A token that proves an address by coming back from there: given out once, and known by its hash from then on.
struct EmailToken {
  /// Too many to be found by trying.
  private static let bytesCount = 32

  /// Base64url without padding (RFC 4648, section 5), so that it can stand in a link.
  let text: SecretBytes

  init(random: RandomSource) throws(CryptoError) {
    let bytes = try random.secret(Self.bytesCount)
    text = bytes.withUnsafeBytes { bytes in
      let padded = SecretBytes(count: Base64.textBytes(for: bytes.count)) { text in
        Base64.encode(bytes, into: text)
        for place in text.indices { text[place] = Self.urlDigit(text[place]) }
      }
      let digits = (bytes.count * 8 + 5) / 6
      return padded.withUnsafeBytes { SecretBytes(copying: $0.prefix(digits)) }
    }
  }

  init(_ text: SecretBytes) {
    self.text = text
  }

  var digest: [UInt8] {
    var bytes = text.withUnsafeBytes { Array($0) }
    defer {
      bytes.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
      }
    }
    return SHA256.digest(of: bytes)
  }

  private static func urlDigit(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: digit
    }
  }
}
