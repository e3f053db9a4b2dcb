/// Turns the inside of a string that the parser has accepted into the bytes it stands for.
enum Unescaping {
  /// - Returns: how many bytes were written; never more than `escaped` has.
  static func unescape(
    _ escaped: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var read = 0
    var written = 0
    while read < escaped.count {
      guard escaped[read] == UInt8(ascii: "\\") else {
        output[written] = escaped[read]
        read += 1
        written += 1
        continue
      }
      guard escaped[read + 1] == UInt8(ascii: "u") else {
        output[written] = plain(escaped[read + 1])
        read += 2
        written += 1
        continue
      }
      let (scalar, length) = scalar(escaped, at: read)
      written += write(scalar, to: output, at: written)
      read += length
    }
    return written
  }

  private static func plain(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  private static func scalar(_ escaped: UnsafeBufferPointer<UInt8>, at index: Int) -> (UInt32, length: Int) {
    let unit = codeUnit(escaped, at: index + 2)
    guard (0xD800...0xDBFF).contains(unit) else { return (unit, 6) }
    let low = codeUnit(escaped, at: index + 8)
    return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
  }

  private static func codeUnit(_ escaped: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
    (index..<index + 4).reduce(0) { unit, index in
      unit << 4 | UInt32(JSONCursor.value(ofHexDigit: escaped[index]) ?? 0)
    }
  }

  private static func write(_ scalar: UInt32, to output: UnsafeMutableBufferPointer<UInt8>, at index: Int) -> Int {
    func byte(_ lead: UInt32, _ shift: UInt32, _ mask: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: lead | scalar >> shift & mask)
    }
    switch scalar {
    case ..<0x80:
      output[index] = byte(0, 0, 0x7F)
      return 1
    case ..<0x800:
      output[index] = byte(0xC0, 6, 0x1F)
      output[index + 1] = byte(0x80, 0, 0x3F)
      return 2
    case ..<0x10000:
      output[index] = byte(0xE0, 12, 0x0F)
      output[index + 1] = byte(0x80, 6, 0x3F)
      output[index + 2] = byte(0x80, 0, 0x3F)
      return 3
    default:
      output[index] = byte(0xF0, 18, 0x07)
      output[index + 1] = byte(0x80, 12, 0x3F)
      output[index + 2] = byte(0x80, 6, 0x3F)
      output[index + 3] = byte(0x80, 0, 0x3F)
      return 4
    }
  }
}
