import EventLoop
import Glibc
import JSON
import JSONRPC
import UnixSocket

/// The one connection of a client: sends calls, hands out answers, connects again.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only; ``call(_:_:)`` gets there itself.
final class ClientConnection: SocketStreamOwner, @unchecked Sendable {
  private typealias Outcome = Result<[UInt8], ClientError>

  /// The wait before another attempt to connect grows from the first to the second.
  private static let backOffMilliseconds: ClosedRange<UInt64> = 10...500
  /// How often calls are looked at whose time may be over.
  private static let tickMilliseconds: UInt64 = 100
  /// Longer than any answer.
  private static let answerBytesMax = 256 << 20
  /// Calls that wait here for the daemon to read them.
  private static let queuedBytesMax = 256 << 20

  private final class Pending {
    let line: [UInt8]
    let deadlineMilliseconds: UInt64
    let finish: (Outcome) -> Void
    var wasSent = false

    init(line: [UInt8], deadlineMilliseconds: UInt64, finish: @escaping (Outcome) -> Void) {
      self.line = line
      self.deadlineMilliseconds = deadlineMilliseconds
      self.finish = finish
    }
  }

  private let path: String
  private let timeoutSeconds: Double
  private let loop: EventLoop
  private let parser = JSONParser()
  private var stream: SocketStream?
  private var frames = FrameReader(frameBytesMax: answerBytesMax)
  private var pending: [Int64: Pending] = [:]
  private var lastID: Int64 = 0
  private var backOff = backOffMilliseconds.lowerBound
  private var retry: LoopTimer?
  private var tick: LoopTimer?
  private var isClosed = false

  init(to path: String, timeoutSeconds: Double, on loop: EventLoop) {
    self.path = path
    self.timeoutSeconds = timeoutSeconds
    self.loop = loop
  }

  /// Calls a method whose parameters `write` writes, and gives the result's JSON text.
  func call(
    _ method: String, _ write: @escaping @Sendable (inout JSONWriter) -> Void
  ) async throws(ClientError) -> [UInt8] {
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
        loop.perform { [self] in begin(method, write, ticket) { continuation.resume(returning: $0) } }
      }
    } onCancel: {
      loop.perform { [self] in cancel(ticket) }
    }.get()
  }

  func close() {
    isClosed = true
    tick = nil
    retry = nil
    stream?.close()
    failAll(.connectionLost(path: path))
  }

  // MARK: Calls

  /// Ties a call to its cancellation, which may come first.
  private final class Ticket: @unchecked Sendable {
    var id: Int64?
    var isCancelled = false
  }

  private func begin(
    _ method: String, _ write: (inout JSONWriter) -> Void, _ ticket: Ticket, _ finish: @escaping (Outcome) -> Void
  ) {
    guard !isClosed else { return finish(.failure(.connectionLost(path: path))) }
    guard !ticket.isCancelled else { return finish(.failure(.cancelled)) }
    lastID += 1
    ticket.id = lastID
    var writer = JSONWriter()
    writer.beginCall(method, id: CallID(lastID))
    write(&writer)
    writer.endCall()
    writer.endLine()
    let deadline = loop.nowMilliseconds + UInt64(timeoutSeconds * 1000)
    let call = Pending(line: writer.take(), deadlineMilliseconds: deadline, finish: finish)
    pending[lastID] = call
    watchTime()
    if stream == nil { connect() } else { send(call) }
  }

  private func cancel(_ ticket: Ticket) {
    ticket.isCancelled = true
    if let id = ticket.id { pending.removeValue(forKey: id)?.finish(.failure(.cancelled)) }
  }

  private func send(_ call: Pending) {
    call.wasSent = true
    stream?.write { $0.append(contentsOf: call.line) }
  }

  private func watchTime() {
    guard tick == nil else { return }
    tick = LoopTimer(
      on: loop, afterMilliseconds: Self.tickMilliseconds, everyMilliseconds: Self.tickMilliseconds
    ) { [unowned self] in
      for (id, call) in pending where call.deadlineMilliseconds <= loop.nowMilliseconds {
        pending[id] = nil
        call.finish(.failure(stream == nil ? .connectionLost(path: path) : .timedOut(seconds: timeoutSeconds)))
      }
      if pending.isEmpty { tick = nil }
    }
  }

  private func failAll(_ error: ClientError) {
    let failed = pending.values
    pending = [:]
    for call in failed { call.finish(.failure(error)) }
  }

  // MARK: Connecting

  private func connect() {
    guard retry == nil, !isClosed else { return failUnsent("waiting to connect again") }
    do {
      let descriptor = try SocketStream.connect(path: path)
      let stream = try SocketStream(on: loop, descriptor: descriptor, queuedBytesMax: Self.queuedBytesMax)
      stream.owner = self
      frames = FrameReader(frameBytesMax: Self.answerBytesMax)
      self.stream = stream
      stream.resumeReading()
      for (_, call) in pending.sorted(by: { $0.key < $1.key }) { send(call) }
    } catch SocketError.system(_, _, let number) {
      connectLater(String(cString: strerror(number)))
    } catch {
      connectLater("\(error)")
    }
  }

  /// What was under way when the connection broke waits for another; what was never sent is told at once.
  private func connectLater(_ why: String) {
    failUnsent(why)
    guard !pending.isEmpty else { return }
    retry = LoopTimer(on: loop, afterMilliseconds: backOff) { [unowned self] in
      retry = nil
      connect()
    }
    backOff = min(backOff * 2, Self.backOffMilliseconds.upperBound)
  }

  private func failUnsent(_ why: String) {
    for (id, call) in pending where !call.wasSent {
      pending[id] = nil
      call.finish(.failure(.unreachable(path: path, why: why)))
    }
  }

  // MARK: Answers

  func received(_ bytes: UnsafeRawBufferPointer) {
    backOff = Self.backOffMilliseconds.lowerBound
    frames.feed(bytes) { [self] event in
      switch event {
      case .frame(let line): take(line)
      case .tooLong: failAll(.invalidAnswer("a line is longer than \(Self.answerBytesMax) bytes"))
      }
      return .more
    }
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard let value = try? parser.parse(line, nestingMax: 1024), let answer = Answer(reading: value) else {
      return failAll(.invalidAnswer("a line is no answer of JSON-RPC"))
    }
    guard let id = Int64(answer.id.json) else {
      // Without an id it is about the connection: the peer is unknown, or there are too many.
      if case .error(let error) = answer.outcome { failAll(.refused(error)) }
      return
    }
    guard let call = pending.removeValue(forKey: id) else { return }
    switch answer.outcome {
    case .result(let result): call.finish(.success(Array(result.raw)))
    case .error(let error): call.finish(.failure(.refused(error)))
    }
  }

  func receivedEnd() { stream?.close() }

  func wroteEverything() {}

  func closed(_: SocketStream.CloseReason) {
    stream = nil
    guard !isClosed, !pending.isEmpty else { return }
    connectLater("the connection broke")
  }
}
