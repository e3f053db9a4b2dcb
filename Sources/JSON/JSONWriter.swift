import Glibc

/// Writes JSON by appending to an array of bytes.
///
/// Commas are put where they belong; that begun objects and arrays are ended is the caller's part. Strings get only
/// the escapes that RFC 8259 demands.
public struct JSONWriter: Sendable {
  /// Room for writing; only the first `count` bytes mean anything. An array that is filled already can be written in
  /// place, many bytes at a time, where appending would ask for each whether there is room.
  private var storage: [UInt8]
  /// How many bytes are written so far.
  public private(set) var count = 0
  /// A value stands before the place of writing, so that another one needs a comma.
  private var needsComma = false

  public init(capacity: Int = 0) {
    storage = [UInt8](repeating: 0, count: capacity)
  }

  /// A copy of what is written so far.
  public var bytes: [UInt8] { Array(storage[..<count]) }

  /// Calls `body` with what is written so far, without a copy.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// Begins anew, with what was written overwritten.
  public mutating func removeAll(keepingCapacity: Bool = true) {
    wipe()
    if !keepingCapacity { storage = [] }
    count = 0
    needsComma = false
  }

  /// Hands over what is written, without a copy, and begins anew without storage.
  public mutating func take() -> [UInt8] {
    storage.removeLast(storage.count - count)
    var taken: [UInt8] = []
    swap(&taken, &storage)
    count = 0
    needsComma = false
    return taken
  }

  /// Hands over what is written so far of one text, which goes on with what is written next.
  public mutating func takePart() -> [UInt8] {
    let comma = needsComma
    defer { needsComma = comma }
    return take()
  }

  /// Lets `fill` write up to `most` bytes and return how many it wrote.
  @inline(__always)
  private mutating func write(atMost most: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
    if storage.count - count < most { grow(by: most) }
    let start = count
    // There is room, so there is an address.
    count += storage.withUnsafeMutableBufferPointer { fill($0.baseAddress.unsafelyUnwrapped + start) }
  }

  @inline(never)
  private mutating func grow(by most: Int) {
    var larger = [UInt8](repeating: 0, count: max(storage.count * 2, count + most, 256))
    larger.withUnsafeMutableBytes { larger in storage.withUnsafeBytes { larger.copyMemory(from: $0) } }
    wipe()
    storage = larger
  }

  /// Overwrites what is written, of which a part may be secret.
  private mutating func wipe() {
    storage.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { explicit_bzero(start, count) }
    }
  }

  /// Writes one byte, after a comma where a value begins that needs one.
  @inline(__always)
  private mutating func put(_ byte: UInt8, isValue: Bool) {
    let comma = isValue && needsComma
    write(atMost: 2) { place in
      place[0] = UInt8(ascii: ",")
      place[comma ? 1 : 0] = byte
      return comma ? 2 : 1
    }
  }
}

// MARK: Containers

extension JSONWriter {
  public mutating func beginObject() {
    put(UInt8(ascii: "{"), isValue: true)
    needsComma = false
  }

  public mutating func endObject() {
    put(UInt8(ascii: "}"), isValue: false)
    needsComma = true
  }

  public mutating func beginArray() {
    put(UInt8(ascii: "["), isValue: true)
    needsComma = false
  }

  public mutating func endArray() {
    put(UInt8(ascii: "]"), isValue: false)
    needsComma = true
  }

  /// The name of a member, to be followed by its value. It must be text that needs no escape.
  @inline(__always)
  public mutating func member(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    let comma = needsComma ? 1 : 0
    write(atMost: length + 4) { place in
      place[0] = UInt8(ascii: ",")
      let start = place + comma
      start[0] = UInt8(ascii: "\"")
      (start + 1).update(from: name.utf8Start, count: length)
      start[length + 1] = UInt8(ascii: "\"")
      start[length + 2] = UInt8(ascii: ":")
      return comma + length + 3
    }
    needsComma = false
  }

  /// The name of a member, whatever bytes it is made of; they must be UTF-8.
  public mutating func member(utf8 name: UnsafeBufferPointer<UInt8>) {
    string(utf8: name)
    put(UInt8(ascii: ":"), isValue: false)
    needsComma = false
  }

  /// The name of a member, whatever it is made of.
  public mutating func member(named name: String) {
    string(name)
    put(UInt8(ascii: ":"), isValue: false)
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
    let end = Self.escapeIndex(in: utf8, from: 0)
    guard end == utf8.count else { return stringWithEscapes(utf8) }
    let comma = takeComma()
    write(atMost: utf8.count + 3) { place in
      place[0] = UInt8(ascii: ",")
      let start = place + comma
      start[0] = UInt8(ascii: "\"")
      if let base = utf8.baseAddress { (start + 1).update(from: base, count: utf8.count) }
      start[utf8.count + 1] = UInt8(ascii: "\"")
      return comma + utf8.count + 2
    }
  }

  /// A string of ASCII that needs no escape, such as an id or a time, written in place by `body`.
  ///
  /// - Parameter body: fills the buffer of `capacity` bytes and returns how many it wrote.
  @inline(__always)
  public mutating func plainString(capacity: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    let comma = takeComma()
    write(atMost: capacity + 3) { place in
      place[0] = UInt8(ascii: ",")
      let start = place + comma
      start[0] = UInt8(ascii: "\"")
      let length = body(UnsafeMutableBufferPointer(start: start + 1, count: capacity))
      start[length + 1] = UInt8(ascii: "\"")
      return comma + length + 2
    }
  }

  public mutating func integer(_ value: Int64) {
    let comma = takeComma()
    // Nineteen digits, a sign and a comma at most.
    write(atMost: 21) { place in
      place[0] = UInt8(ascii: ",")
      var length = comma
      if value < 0 {
        place[length] = UInt8(ascii: "-")
        length += 1
      }
      var rest = value.magnitude
      var digits = 1
      while rest >= 10 {
        rest /= 10
        digits += 1
      }
      rest = value.magnitude
      for index in stride(from: length + digits - 1, through: length, by: -1) {
        place[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      return length + digits
    }
  }

  public mutating func integer(_ value: Int) { integer(Int64(value)) }

  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  public mutating func null() { raw("null") }

  /// A value that is JSON already.
  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    let comma = takeComma()
    write(atMost: json.count + 1) { place in
      place[0] = UInt8(ascii: ",")
      if let base = json.baseAddress {
        UnsafeMutableRawPointer(place + comma).copyMemory(from: base, byteCount: json.count)
      }
      return comma + json.count
    }
  }

  /// A value that is JSON already.
  public mutating func raw(_ json: [UInt8]) {
    json.withUnsafeBytes { raw($0) }
  }

  /// A value that is JSON already and part of the program.
  public mutating func raw(_ json: StaticString) {
    raw(UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// The byte that ends a message on the wire; what follows is a new text.
  public mutating func endLine() {
    put(0x0A, isValue: false)
    needsComma = false
  }

  /// How many commas the value that comes needs: none or one.
  @inline(__always)
  private mutating func takeComma() -> Int {
    let comma = needsComma ? 1 : 0
    needsComma = true
    return comma
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

  private mutating func stringWithEscapes(_ utf8: UnsafeBufferPointer<UInt8>) {
    let comma = takeComma()
    write(atMost: utf8.reduce(3) { $0 + Self.escapedCount(of: $1) }) { place in
      place[0] = UInt8(ascii: ",")
      var length = comma
      place[length] = UInt8(ascii: "\"")
      length += 1
      for byte in utf8 { length += Self.write(byte, to: place + length) }
      place[length] = UInt8(ascii: "\"")
      return length + 1
    }
  }

  /// At least as many bytes as one byte of a string becomes.
  private static func escapedCount(of byte: UInt8) -> Int {
    byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1
  }

  /// Writes one byte of a string, escaped if it must be, and returns how many it became.
  @inline(__always)
  private static func write(_ byte: UInt8, to place: UnsafeMutablePointer<UInt8>) -> Int {
    guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
      place[0] = byte
      return 1
    }
    place[0] = UInt8(ascii: "\\")
    switch byte {
    case 0x08: place[1] = UInt8(ascii: "b")
    case 0x09: place[1] = UInt8(ascii: "t")
    case 0x0A: place[1] = UInt8(ascii: "n")
    case 0x0C: place[1] = UInt8(ascii: "f")
    case 0x0D: place[1] = UInt8(ascii: "r")
    case 0x00..<0x20:
      (place[1], place[2], place[3]) = (UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"))
      place[4] = UInt8(ascii: "0") + byte >> 4
      place[5] = byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10
      return 6
    default: place[1] = byte
    }
    return 2
  }
}
