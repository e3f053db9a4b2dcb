#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Cuts the bytes of a connection into frames: one message a line.
///
/// The byte 0x0A ends a frame, and a 0x0D before it belongs to the end. A frame that came whole is handed on where it
/// lies; only one that spans chunks is copied, and while nothing is pending no memory is held.
public struct FrameReader {
  /// What the reader has found.
  public enum Event {
    /// The bytes of one line without its end, valid only during the call.
    case frame(UnsafeRawBufferPointer)
    /// The line is longer than the limit. It is told once; nothing is read after it and the connection is to be closed.
    case tooLong
  }

  /// Whether the one who receives wants more now.
  public enum Flow {
    case more
    /// No event follows until `resume`; what has come already is kept.
    case pause
  }

  /// How long a frame may be, its end not counted.
  public var frameBytesMax: Int
  /// No event is told until `resume`. The owner should stop reading from the connection meanwhile.
  public private(set) var isPaused = false
  /// A line was too long and nothing more is read.
  public private(set) var isClosed = false
  /// How many frames were handed on.
  private var framesRead = 0
  /// Bytes that are not handed on yet, from `head`. Unless paused, they are the beginning of one frame.
  private var pending: [UInt8] = []
  private var head = 0

  public init(frameBytesMax: Int) {
    self.frameBytesMax = frameBytesMax
  }

  /// The number, counted from 0, of the frame of which only a part has come, or nil: when it changes, the time within
  /// which a frame must be complete begins anew.
  public var partialFrame: Int? { isPaused || pending.isEmpty ? nil : framesRead }

  /// Takes the next bytes of the connection and tells `receive` of each frame that they complete.
  public mutating func feed(_ chunk: UnsafeRawBufferPointer, _ receive: (Event) -> Flow) {
    guard !isClosed else { return }
    guard !isPaused else { return pending.append(contentsOf: chunk) }
    guard !pending.isEmpty else { return read(chunk, receive) }
    guard let newline = Self.newline(in: chunk, from: 0) else {
      pending.append(contentsOf: chunk)
      return refuseLongPart(receive)
    }
    pending.append(contentsOf: chunk[..<newline])
    var line = pending
    pending = []
    line.withUnsafeBytes { deliver($0, receive) }
    Self.wipe(&line)
    read(UnsafeRawBufferPointer(rebasing: chunk[(newline + 1)...]), receive)
  }

  /// Goes on after a pause with what has come already.
  public mutating func resume(_ receive: (Event) -> Flow) {
    guard isPaused, !isClosed else { return }
    isPaused = false
    var kept = pending
    pending = []
    let next = kept.withUnsafeBytes { deliverLines($0, from: head, receive) }
    guard !isClosed, next < kept.count else {
      head = 0
      return
    }
    // Moved only when half of it is done, so that many short frames taken one by one do not move the rest each time.
    if !isPaused || next > kept.count / 2 {
      kept.removeFirst(next)
      head = 0
    } else {
      head = next
    }
    pending = kept
    if !isPaused { refuseLongPart(receive) }
  }

  /// Reads a chunk with nothing pending before it, and keeps the rest.
  private mutating func read(_ chunk: UnsafeRawBufferPointer, _ receive: (Event) -> Flow) {
    let next = isPaused ? 0 : deliverLines(chunk, from: 0, receive)
    guard !isClosed, next < chunk.count else { return }
    pending.append(contentsOf: chunk[next...])
    if !isPaused { refuseLongPart(receive) }
  }

  /// Hands on whole lines until a pause or their end, and returns where the rest begins.
  private mutating func deliverLines(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ receive: (Event) -> Flow
  ) -> Int {
    var start = start
    while !isPaused, !isClosed, let newline = Self.newline(in: bytes, from: start) {
      deliver(UnsafeRawBufferPointer(rebasing: bytes[start..<newline]), receive)
      start = newline + 1
    }
    return start
  }

  private mutating func deliver(_ line: UnsafeRawBufferPointer, _ receive: (Event) -> Flow) {
    let frame = line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    guard frame.count <= frameBytesMax else { return close(receive) }
    framesRead += 1
    isPaused = receive(.frame(frame)) == .pause
  }

  private mutating func refuseLongPart(_ receive: (Event) -> Flow) {
    let length = pending.count - (pending.last == 0x0D ? 1 : 0)
    if length > frameBytesMax { close(receive) }
  }

  private mutating func close(_ receive: (Event) -> Flow) {
    isClosed = true
    pending = []
    head = 0
    _ = receive(.tooLong)
  }

  /// Overwrites what is not handed on, which is not wanted any more.
  public mutating func wipe() {
    Self.wipe(&pending)
    pending = []
    head = 0
  }

  private static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }
  }

  private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, start < bytes.count else { return nil }
    guard let found = memchr(base + start, 0x0A, bytes.count - start) else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
