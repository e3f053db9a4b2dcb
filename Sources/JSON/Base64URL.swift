/// Base64 in the alphabet for URLs (RFC 4648, section 5), without padding and read strictly: one spelling for each value.
public enum Base64URL {
  public static func encode(_ bytes: [UInt8]) -> String {
    let padded = [UInt8](unsafeUninitializedCapacity: Base64.textBytes(for: bytes.count)) { text, count in
      bytes.withUnsafeBytes { Base64.encode($0, into: UnsafeMutableRawBufferPointer(text)) }
      count = Base64.textBytes(for: bytes.count)
    }
    return String(
      decoding: padded.lazy.filter { $0 != UInt8(ascii: "=") }.map { digit in
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: digit
        }
      }, as: UTF8.self)
  }

  /// The bytes that a text stands for; nil if it is no base64 of this kind.
  public static func decode(_ text: String) -> [UInt8]? {
    var padded: [UInt8] = []
    for digit in text.utf8 {
      switch digit {
      case UInt8(ascii: "-"): padded.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): padded.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: padded.append(digit)
      }
    }
    padded += [UInt8](repeating: UInt8(ascii: "="), count: (4 - padded.count % 4) % 4)
    return padded.withUnsafeBytes { text in
      guard let byteCount = Base64.byteCount(of: text), byteCount >= 0 else { return nil }
      var isRight = false
      let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
        isRight = Base64.decode(text, into: UnsafeMutableRawBufferPointer(buffer))
        count = isRight ? byteCount : 0
      }
      return isRight ? bytes : nil
    }
  }
}
