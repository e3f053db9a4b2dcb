import Foundation
import Synchronization

/// Looks for secrets that were left behind in the memory of this process.
///
/// What is looked for is kept inverted, so that it is not found in the one who looks; and one search is done after the
/// other, so that none finds what another has just read.
public enum ProcessMemory {
  /// Something to hide that stands nowhere else.
  public struct Canary: Sendable {
    public let count: Int
    fileprivate let inverted: [UInt8]

    /// 32 random bytes.
    public init() {
      inverted = (0..<32).map { _ in UInt8.random(in: 0...255) }
      count = 32
    }

    /// Writes the bytes themselves.
    public func write(to buffer: UnsafeMutableRawBufferPointer) {
      for (position, byte) in inverted.enumerated() { buffer[position] = ~byte }
    }

    /// Writes two letters for each byte, for where not every byte may stand.
    public func writeDigits(to buffer: UnsafeMutableRawBufferPointer) {
      for (position, byte) in inverted.enumerated() {
        buffer[2 * position] = UInt8(ascii: "a") + ~byte >> 4
        buffer[2 * position + 1] = UInt8(ascii: "a") + ~byte & 0xF
      }
    }

    /// The canary that these bytes are.
    public init(_ bytes: UnsafeRawBufferPointer) {
      inverted = bytes.map { ~$0 }
      count = bytes.count
    }
  }

  private static let chunkBytes = 1 << 20
  private static let pageBytes = 4096
  /// Only the end of a canary is looked for: the allocator writes over the beginning of what is given back to it.
  private static let needleBytes = 16

  /// Chunk and needle, kept apart from everything that is searched.
  private struct Workplace: @unchecked Sendable {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes + 4096, alignment: 4096)
    var chunk: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: bytes[..<chunkBytes]) }
    var needle: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: bytes[chunkBytes...]) }
  }

  private static let workplace = Mutex(Workplace())

  /// What `body` gives the second time.
  ///
  /// At the first call of a function the dynamic linker may look it up, and while it does so it keeps the vector registers
  /// on the stack, with whatever the code before had moved through them. At the second time all are known.
  public static func rehearsed<R>(_ body: () throws -> R) rethrows -> R {
    _ = try body()
    return try body()
  }

  /// How often a canary stands in the memory that this process may write.
  public static func copies(of canary: Canary) throws -> Int {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(memory) }
    return try workplace.withLock { place in
      canary.write(to: place.needle)
      defer { place.bytes.initializeMemory(as: UInt8.self, repeating: 0) }
      let needle = UnsafeMutableRawBufferPointer(
        rebasing: place.needle[max(0, canary.count - needleBytes)..<canary.count])
      return try writableRanges(without: place.bytes).reduce(0) { found, range in
        found + copies(of: needle, in: range, of: memory, chunk: place.chunk)
      }
    }
  }

  private static func copies(
    of needle: UnsafeMutableRawBufferPointer, in range: Range<Int>, of memory: Int32,
    chunk: UnsafeMutableRawBufferPointer
  ) -> Int {
    var found = 0
    var start = range.lowerBound
    while start < range.upperBound {
      let count = pread(memory, chunk.baseAddress, min(chunk.count, range.upperBound - start), start)
      guard count > 0 else {
        // Given back in the meantime, by another thread. What follows it may be there still.
        start = start / pageBytes * pageBytes + pageBytes
        continue
      }
      found += copies(of: needle, in: UnsafeMutableRawBufferPointer(rebasing: chunk[..<count]))
      guard start + count < range.upperBound else { break }
      // One that lies across the end of this chunk is found in the next.
      start += max(1, count - needle.count + 1)
    }
    return found
  }

  private static func copies(
    of needle: UnsafeMutableRawBufferPointer, in chunk: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let first = needle.first, let wanted = needle.baseAddress, let start = chunk.baseAddress else { return 0 }
    var found = 0
    var offset = 0
    while offset + needle.count <= chunk.count,
      let next = memchr(start + offset, Int32(first), chunk.count - offset - needle.count + 1)
    {
      if memcmp(next, wanted, needle.count) == 0 { found += 1 }
      offset = next - start + 1
    }
    return found
  }

  /// The lines of a file of the kernel, which Foundation reads in part only, for it does not tell its size.
  public static func lines(of path: String) throws -> [Substring] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      text += chunk[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
  }

  private static func writableRanges(without own: UnsafeMutableRawBufferPointer) throws -> [Range<Int>] {
    let mine = Int(bitPattern: own.baseAddress)..<(Int(bitPattern: own.baseAddress) + own.count)
    return try lines(of: "/proc/self/maps").flatMap { line in
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard fields[1].hasPrefix("rw"), ends.count == 2 else { return [Range<Int>]() }
      let range = ends[0]..<ends[1]
      guard range.overlaps(mine) else { return [range] }
      return [
        range.lowerBound..<max(range.lowerBound, mine.lowerBound),
        min(mine.upperBound, range.upperBound)..<range.upperBound,
      ]
    }
  }
}
