import Glibc

/// Reads JSON (RFC 8259) strictly, in one pass and without recursion.
///
/// Beyond the grammar it refuses what different readers understand differently: a byte order mark, UTF-8 that is not
/// well formed, U+0000, halves of surrogate pairs, and a name that stands twice in one object, however it is spelt.
///
/// A parser keeps its storage from one text to the next. It belongs to one task at a time.
public final class JSONParser {
  /// Offsets are 32 bits wide; no limit of the wire comes near this.
  public static let textBytesMax = 1 << 30
  /// Storage beyond this is given back when the next text needs less, so that one large call does not weigh for ever.
  private static let textBytesKeptMax = 64 * 1024
  /// Zero bytes after the text: they end every token, and eight can always be read at once.
  private static let padding = 8

  private var text = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  /// How much of it the last text took.
  private var used = 0
  private var nodes = UnsafeMutableBufferPointer<JSONNode>(start: nil, count: 0)
  let keys = KeySet()

  public init() {}

  deinit {
    text.deallocate()
    nodes.deallocate()
  }

  /// Reads one text, which is copied.
  ///
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - nestingMax: how many arrays and objects may stand in each other, the outermost counted.
  /// - Returns: the outermost value. It and everything reached from it are valid only until the next call of `parse`
  ///   and while the parser lives: use them at once and copy out what is to stay.
  public func parse(_ bytes: UnsafeRawBufferPointer, nestingMax: Int) throws(JSONError) -> JSONValue {
    guard bytes.count <= Self.textBytesMax else { throw .malformed(offset: Self.textBytesMax) }
    let start = copy(bytes)
    // Besides the containers that are still open, a value takes two bytes at least: its own and a separator or end.
    let first = makeRoom(nodes: bytes.count / 2 + min(nestingMax, bytes.count) + 2)
    var scanner = JSONScanner(
      text: start, nodes: first, capacity: nodes.count, nestingMax: nestingMax, keys: keys)
    do {
      try scanner.document()
    } catch {
      let offset = scanner.cursor.at - start
      switch error {
      case .tooDeep where offset == bytes.count: throw .tooDeep(limit: nestingMax)
      case .duplicateName: throw .duplicateName(offset: offset)
      case .tooDeep, .malformed: throw .malformed(offset: offset)
      }
    }
    guard scanner.cursor.at - start == bytes.count else { throw .malformed(offset: scanner.cursor.at - start) }
    return JSONValue(text: start, node: first)
  }

  /// Overwrites the copy of the last text, which held secrets. No value of it may be used any more.
  public func wipe() {
    guard let start = text.baseAddress else { return }
    explicit_bzero(start, used)
    used = 0
  }

  private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    let needed = bytes.count + Self.padding
    if text.count < needed || (text.count > Self.textBytesKeptMax && needed <= Self.textBytesKeptMax) {
      wipe()
      text.deallocate()
      text = .allocate(capacity: max(needed, 4096))
    }
    used = max(used, bytes.count)
    let raw = UnsafeMutableRawBufferPointer(text)
    raw.copyMemory(from: bytes)
    for index in bytes.count..<needed { raw[index] = 0 }
    return UnsafePointer(text.baseAddress.unsafelyUnwrapped)
  }

  private func makeRoom(nodes needed: Int) -> UnsafeMutablePointer<JSONNode> {
    if nodes.count < needed || (nodes.count > Self.textBytesKeptMax && needed <= Self.textBytesKeptMax) {
      nodes.deallocate()
      nodes = .allocate(capacity: max(needed, 1024))
    }
    return nodes.baseAddress.unsafelyUnwrapped
  }
}
