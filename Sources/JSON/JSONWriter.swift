/// Writes JSON by appending to an array of bytes.
///
/// Commas are put where they belong; that begun objects and arrays are ended is the caller's part. Strings get only
/// the escapes that RFC 8259 demands.
public struct JSONWriter: Sendable {
  /// What is written so far.
  public private(set) var bytes: [UInt8]
  /// A value stands before the place of writing, so that another one needs a comma.
  private var needsComma = false

  public init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Begins anew.
  public mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
    needsComma = false
  }

  /// Hands over what is written and begins anew without storage.
  public mutating func take() -> [UInt8] {
    let taken = bytes
    bytes = []
    needsComma = false
    return taken
  }

  @inline(__always)
  private mutating func beforeValue() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

// MARK: Containers

extension JSONWriter {
  public mutating func beginObject() {
    beforeValue()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  public mutating func beginArray() {
    beforeValue()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
  }

  public mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// The name of a member, to be followed by its value. It must be text that needs no escape.
  @inline(__always)
  public mutating func member(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length + 4) { scratch in
      var count = 0
      if needsComma {
        scratch[0] = UInt8(ascii: ",")
        count = 1
      }
      scratch[count] = UInt8(ascii: "\"")
      for index in 0..<length { scratch[count + 1 + index] = name.utf8Start[index] }
      scratch[count + 1 + length] = UInt8(ascii: "\"")
      scratch[count + 2 + length] = UInt8(ascii: ":")
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<(count + 3 + length)]))
    }
    needsComma = false
  }

  /// The name of a member, whatever bytes it is made of; they must be UTF-8.
  public mutating func member(utf8 name: UnsafeBufferPointer<UInt8>) {
    string(utf8: name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// The name of a member, whatever it is made of.
  public mutating func member(named name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }
}

// MARK: Values

extension JSONWriter {
  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { string(utf8: $0) }
  }

  /// A string that is part of the program.
  public mutating func string(_ value: StaticString) {
    string(utf8: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  /// A string from its bytes, which must be UTF-8.
  public mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
    beforeValue()
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let end = Self.escapeIndex(in: utf8, from: start)
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
      guard end < utf8.count else { break }
      escape(utf8[end])
      start = end + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A string of ASCII that needs no escape, such as an id or a time, written in place by `body`.
  ///
  /// - Parameter body: fills the buffer of `capacity` bytes and returns how many it wrote.
  @inline(__always)
  public mutating func plainString(capacity: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    beforeValue()
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity + 2) { scratch in
      scratch[0] = UInt8(ascii: "\"")
      let count = body(UnsafeMutableBufferPointer(rebasing: scratch[1...capacity]))
      scratch[count + 1] = UInt8(ascii: "\"")
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<(count + 2)]))
    }
  }

  public mutating func integer(_ value: Int64) {
    beforeValue()
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var index = 20
      var rest = value.magnitude
      repeat {
        index -= 1
        digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        index -= 1
        digits[index] = UInt8(ascii: "-")
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[index...]))
    }
  }

  public mutating func integer(_ value: Int) { integer(Int64(value)) }

  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  public mutating func null() { raw("null") }

  /// A value that is JSON already.
  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    beforeValue()
    bytes.append(contentsOf: json)
  }

  /// A value that is JSON already.
  public mutating func raw(_ json: [UInt8]) {
    beforeValue()
    bytes.append(contentsOf: json)
  }

  /// A value that is JSON already and part of the program.
  public mutating func raw(_ json: StaticString) {
    raw(UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// The byte that ends a message on the wire; what follows is a new text.
  public mutating func endLine() {
    bytes.append(0x0A)
    needsComma = false
  }
}

// MARK: Escapes

extension JSONWriter {
  /// The index of the first byte at or after `start` that must be escaped, or the count.
  @inline(__always)
  private static func escapeIndex(in utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let base = utf8.baseAddress else { return utf8.count }
    var index = start
    while index + 8 <= utf8.count {
      let mask = SWAR.needsEscape(SWAR.load(base + index))
      guard mask == 0 else { return index + SWAR.bytesBefore(mask) }
      index += 8
    }
    while index < utf8.count {
      let byte = base[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x00..<0x20:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      bytes.append(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10)
    default: bytes.append(byte)
    }
  }
}
