import EventLoop
import Glibc

/// What a stream tells its owner. All of it happens on the stream's loop.
public protocol SocketStreamOwner: AnyObject {
  /// Bytes came in; they are valid during the call only.
  func received(_ bytes: UnsafeRawBufferPointer)
  /// The peer sends no more; what is written still reaches it if it reads.
  func receivedEnd()
  /// Everything written so far has been handed to the kernel.
  func wroteEverything()
  /// The kernel takes no more for now, and what is left is within the limit.
  func wrotePart()
  /// The stream is closed, by either side, and calls its owner no more.
  func closed(_ reason: SocketStream.CloseReason)
}

/// One connected Unix socket on a loop: reads as long as its owner wants, gathers what is written during a turn and sends it at
/// the turn's end.
///
/// Descriptors that a peer passes along are never received: the kernel drops what an ordinary `recv` does not ask for.
public final class SocketStream: EndOfTurn {
  public enum CloseReason: Sendable, Equatable {
    /// The owner closed it.
    case byOwner
    /// The peer is gone or the connection broke.
    case byPeer
    /// More waited for the peer than may, and it took nothing of that for a while.
    case tooMuchQueued
  }

  /// An output buffer larger than this is given back once it is sent.
  private static let keptCapacityBytes = 4096
  /// How long a peer for which more than ``queuedBytesMax`` waits may take nothing. Whoever reads takes a thousand times as
  /// much in that time, but its processor may be busy for a while.
  private static let patienceMilliseconds: UInt64 = 1000
  /// The kernel is given no more at once, because it counts what it was given at once as taken only when all of it is: whoever
  /// takes so much in the time above is seen to take something.
  private static let pieceBytes = 8192

  public let loop: EventLoop
  public let descriptor: Int32
  /// Kept until the stream is closed.
  public var owner: (any SocketStreamOwner)?
  /// Bytes that may wait for a peer that does not read. One answer, or those of one turn, may be longer: while more than this
  /// waits, nothing is read from the peer, and it is closed if it takes nothing, or less than 8 KiB, for a second.
  public var queuedBytesMax: Int

  private var watch: DescriptorWatch?
  private var output: [UInt8] = []
  private var sent = 0
  private var isFlushDue = false
  private var wantsInput = false
  private var wantsOutput = false
  /// Runs while more waits than may.
  private var judge: LoopTimer?
  /// What the kernel had for the peer when the peer was judged last, and whether it has taken more for it since.
  private var kernelBytes = 0
  private var hasTaken = false

  /// Takes over a connected, non-blocking descriptor. Nothing is read before ``resumeReading()``.
  public init(on loop: EventLoop, descriptor: Int32, queuedBytesMax: Int) throws(EventLoopError) {
    self.loop = loop
    self.descriptor = descriptor
    self.queuedBytesMax = queuedBytesMax
    do throws(EventLoopError) {
      watch = try DescriptorWatch(on: loop, descriptor: descriptor) { [unowned self] in ready($0) }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  deinit { shut() }

  public var isOpen: Bool { watch != nil }

  /// Whether nothing is read because more waits for the peer than may.
  public var isHoldingInput: Bool { judge != nil }

  /// Bytes written but not yet taken by the kernel.
  public var queuedBytes: Int { output.count - sent }

  public func resumeReading() {
    wantsInput = true
    updateWatch()
  }

  public func pauseReading() {
    wantsInput = false
    updateWatch()
  }

  /// Takes what has come already, if anything has, whether or not reading is paused.
  public func readNow() {
    guard isOpen else { return }
    read()
  }

  /// Appends to the output; it leaves at the end of the turn.
  public func write(_ append: (inout [UInt8]) -> Void) {
    guard isOpen else { return }
    append(&output)
    // While the kernel takes no more, what gathers is looked at only once, when it is over the limit.
    guard !isFlushDue, !wantsOutput || (judge == nil && queuedBytes > queuedBytesMax) else { return }
    isFlushDue = true
    loop.atEndOfTurn(self)
  }

  /// Sends what many peers get: at once, and without a copy of its own, if nothing waits before it.
  public func write(shared bytes: [UInt8]) {
    guard isOpen else { return }
    guard queuedBytes == 0 else { return write { $0 += bytes } }
    guard let given = bytes.withUnsafeBytes({ give($0) }) else { return close(.byPeer) }
    guard given < bytes.count else { return }
    output += bytes[given...]
    waitToWrite()
  }

  public func close() {
    close(.byOwner)
  }

  public func turnEnded() {
    isFlushDue = false
    flush()
  }

  private func close(_ reason: CloseReason) {
    guard isOpen else { return }
    shut()
    let owner = owner
    self.owner = nil
    owner?.closed(reason)
  }

  private func shut() {
    guard let open = watch else { return }
    watch = nil
    judge = nil
    open.close()
    Glibc.close(descriptor)
    output.wipe()
    output = []
    sent = 0
  }

  private func updateWatch() {
    var wanted: DescriptorWatch.Readiness = []
    if wantsInput, judge == nil { wanted.insert(.readable) }
    if wantsOutput { wanted.insert(.writable) }
    watch?.watch(for: wanted)
  }

  private func ready(_ readiness: DescriptorWatch.Readiness) {
    if readiness.contains(.writable), wantsOutput { flush() }
    if readiness.contains(.readable), isOpen, wantsInput, judge == nil { read() }
  }

  private func read() {
    let buffer = loop.readBuffer
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 {
      let received = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      owner?.received(UnsafeRawBufferPointer(received))
      // Other than what is in use, nothing that people told us stays in memory.
      received.wipe()
    } else if count == 0 {
      pauseReading()
      owner?.receivedEnd()
    } else if errno != EAGAIN, errno != EINTR {
      close(.byPeer)
    }
  }

  private func flush() {
    guard isOpen else { return }
    let given = output.withUnsafeBytes { give(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    guard let given else { return close(.byPeer) }
    sent += given
    guard sent == output.count else { return waitToWrite() }
    output.wipe()
    output.removeAll(keepingCapacity: output.capacity <= Self.keptCapacityBytes)
    sent = 0
    if wantsOutput {
      wantsOutput = false
      judge = nil
      updateWatch()
    }
    owner?.wroteEverything()
  }

  /// - Returns: how many of the bytes the kernel took; nil if the connection is broken.
  private func give(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var given = 0
    while given < bytes.count {
      let piece = min(bytes.count - given, Self.pieceBytes)
      let count = send(descriptor, bytes.baseAddress?.advanced(by: given), piece, Int32(MSG_NOSIGNAL))
      if count >= 0 {
        given += count
        hasTaken = true
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return nil
      }
    }
    return given
  }

  private func waitToWrite() {
    // What is sent is cut off only when it is the greater part, so that a byte is moved once and not again and again.
    if sent > output.count / 2 {
      output.removeFirst(sent)
      sent = 0
    }
    wantsOutput = true
    if queuedBytes <= queuedBytesMax {
      judge = nil
      owner?.wrotePart()
    } else if judge == nil {
      hasTaken = false
      kernelBytes = unreadByPeer
      let period = Self.patienceMilliseconds
      judge = LoopTimer(on: loop, afterMilliseconds: period, everyMilliseconds: period) { [unowned self] in
        judgePeer()
      }
    }
    updateWatch()
  }

  private func judgePeer() {
    let unread = unreadByPeer
    guard hasTaken || unread < kernelBytes else { return close(.tooMuchQueued) }
    hasTaken = false
    kernelBytes = unread
  }

  /// Bytes that the kernel has taken and the peer has not. A socket counts as writable only once most of them are gone, and
  /// a slow peer may take longer for that than it has.
  private var unreadByPeer: Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}

extension SocketStream {
  /// Connects to a listening socket and gives the descriptor, non-blocking. Never waits: where too many others wait to be
  /// accepted, it fails with EAGAIN.
  public static func connect(path: String) throws(SocketError) -> Int32 {
    let address = try UnixAddress(path: path)
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", path: path, errno: errno) }
    guard address.pass(to: { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let reason = errno
      Glibc.close(descriptor)
      throw .system(call: "connect", path: path, errno: reason)
    }
    return descriptor
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func wipe() {
    if let start = baseAddress { explicit_bzero(start, count) }
  }
}

extension [UInt8] {
  fileprivate mutating func wipe() {
    withUnsafeMutableBytes { $0.wipe() }
  }
}
