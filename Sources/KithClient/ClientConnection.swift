import EventLoop
import Glibc
import JSON
import JSONRPC
import UnixSocket

/// The one connection of a client: sends calls, hands out answers, connects again and repeats what was under way.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
final class ClientConnection: SocketStreamOwner, @unchecked Sendable {
  /// What a daemon runs at once for one connection unless it is configured otherwise; more would wait there unread.
  static let callsInFlightMax = 256
  /// The longest line that a daemon takes unless it is configured otherwise.
  static let frameBytesMax = 1 << 20
  /// The wait before another attempt to connect grows from the first to the second.
  private static let backOffMilliseconds: ClosedRange<UInt64> = 10...500
  /// A daemon that stops ends a connection once, or a few times; so often in a row, without a byte on any, it is none.
  private static let silentEndsMax = 8
  /// How often calls are looked at whose time may be over, and how soon one is repeated that was put off.
  private static let tickMilliseconds: UInt64 = 50
  /// Far longer than any answer: the daemon closes a connection before so much waits to be read.
  private static let answerBytesMax = 64 << 20
  /// Deeper than any answer.
  private static let nestingMax = 512
  /// All calls that may be in flight, each as long as can be.
  private static let queuedBytesMax = callsInFlightMax * (frameBytesMax + 1)

  private let path: String
  private let loop: EventLoop
  private let parser = JSONParser()
  private var stream: SocketStream?
  private var frames = FrameReader(frameBytesMax: answerBytesMax)
  private var lastID: Int64 = 0
  /// Every call without an outcome.
  private var pending: [Int64: PendingCall] = [:]
  /// Those of them that are to be sent, in order. Some may have got their outcome meanwhile.
  private var waiting: ArraySlice<PendingCall> = []
  /// Those of them that the daemon put off.
  private var postponed: [PendingCall] = []
  /// What this connection owes an answer for, calls that were given up included.
  private var unanswered: Set<Int64> = []
  /// The connections in a row that the peer ended after it had got a call, while it has never said anything.
  private var silentEnds = 0
  private var hasHeard = false
  private var backOff = backOffMilliseconds.lowerBound
  private var retry: LoopTimer?
  private var tick: LoopTimer?
  private var lastProblem = "no connection yet"
  private var isClosed = false

  init(to path: String, on loop: EventLoop) {
    self.path = path
    self.loop = loop
  }

  /// Ends every call; nothing may follow.
  func close() {
    isClosed = true
    tick = nil
    retry = nil
    stream?.close()
    failAll { call in
      call.wasSent ? .connectionLost(path: self.path) : .unreachable(path: self.path, why: "the client was closed")
    }
  }

  // MARK: Calls

  /// Ties a call to its cancellation, which may come first.
  ///
  /// `@unchecked Sendable`: touched on the loop's thread only.
  final class Ticket: @unchecked Sendable {
    fileprivate var id: Int64?
    fileprivate var isCancelled = false
  }

  /// Begins a call.
  ///
  /// - Parameters:
  ///   - write: writes the parameters, one JSON value.
  ///   - finish: gets the result's JSON text or why there is none, exactly once.
  func begin(
    _ method: String, _ write: (inout JSONWriter) -> Void, _ timing: CallTiming, _ ticket: Ticket,
    _ finish: @escaping (Result<[UInt8], ClientError>) -> Void
  ) {
    guard !ticket.isCancelled else { return finish(.failure(.cancelled)) }
    lastID += 1
    ticket.id = lastID
    var writer = JSONWriter()
    writer.beginCall(method, id: CallID(lastID))
    write(&writer)
    writer.endCall()
    // The daemon would end the connection, and with it everybody else's calls.
    guard writer.bytes.count <= Self.frameBytesMax else {
      return finish(.failure(.refused(.limit(.frameBytes, max: Self.frameBytesMax))))
    }
    writer.endLine()
    let call = PendingCall(
      id: lastID, line: writer.take(), timing: timing, nowMilliseconds: loop.nowMilliseconds, finish: finish)
    pending[call.id] = call
    waiting.append(call)
    watchTime()
    if stream != nil {
      sendWaiting()
    } else if retry == nil {
      connect()
    } else {
      failImpatient()
    }
  }

  func cancel(_ ticket: Ticket) {
    ticket.isCancelled = true
    if let id = ticket.id { pending.removeValue(forKey: id)?.fail(.cancelled) }
  }

  private func sendWaiting() {
    while let stream, unanswered.count < Self.callsInFlightMax, let call = waiting.popFirst() {
      guard pending[call.id] != nil else { continue }
      call.wasSent = true
      unanswered.insert(call.id)
      stream.write { $0.append(contentsOf: call.line) }
    }
  }

  private func failAll(_ error: (PendingCall) -> ClientError) {
    let failed = pending.values.sorted { $0.id < $1.id }
    pending = [:]
    waiting = []
    postponed = []
    for call in failed { call.fail(error(call)) }
  }

  // MARK: Time

  private func watchTime() {
    guard tick == nil else { return }
    tick = LoopTimer(
      on: loop, afterMilliseconds: Self.tickMilliseconds, everyMilliseconds: Self.tickMilliseconds
    ) { [unowned self] in
      failLate()
      if stream == nil { failImpatient() }
      waiting.removeAll { pending[$0.id] == nil }
      takeUpPostponed()
      if pending.isEmpty { tick = nil }
    }
  }

  private func failLate() {
    let late = pending.values.filter { $0.deadlineMilliseconds <= loop.nowMilliseconds }
    for call in late {
      pending[call.id] = nil
      call.fail(lateness(of: call))
    }
  }

  private func lateness(of call: PendingCall) -> ClientError {
    if let postponement = call.postponement { return .refused(postponement) }
    if stream != nil { return .timedOut(seconds: call.timeoutSeconds) }
    return call.wasSent ? .connectionLost(path: path) : .unreachable(path: path, why: lastProblem)
  }

  /// Ends calls that nobody has seen and that would wait for a connection no longer.
  private func failImpatient(whatever isHopeless: Bool = false) {
    let unsent = pending.values.filter {
      !$0.wasSent && (isHopeless || $0.patienceEndMilliseconds <= loop.nowMilliseconds)
    }
    for call in unsent {
      pending[call.id] = nil
      call.fail(.unreachable(path: path, why: lastProblem))
    }
  }

  /// Ends calls of those who want to know at once. A daemon with too many connections ends further ones in the same way, so
  /// everybody else waits for as long as the call may take.
  private func failThoseInAHurry() {
    for call in pending.values where call.isInAHurry {
      pending[call.id] = nil
      call.fail(.invalidAnswer("it ends every connection without a word"))
    }
  }

  private func takeUpPostponed() {
    guard stream != nil, !postponed.isEmpty else { return }
    waiting.append(contentsOf: postponed)
    postponed = []
    sendWaiting()
  }

  // MARK: Connecting

  private func connect() {
    do {
      let descriptor = try SocketStream.connect(path: path)
      let stream = try SocketStream(on: loop, descriptor: descriptor, queuedBytesMax: Self.queuedBytesMax)
      stream.owner = self
      frames = FrameReader(frameBytesMax: Self.answerBytesMax)
      self.stream = stream
      stream.resumeReading()
      sendWaiting()
    } catch SocketError.system(_, _, let number) {
      // Rights do not come by waiting; a daemon that restarts does.
      connectLater(String(cString: strerror(number)), isHopeless: number == EACCES)
    } catch {
      connectLater("\(error)", isHopeless: true)
    }
  }

  private func connectLater(_ problem: String, isHopeless: Bool = false) {
    lastProblem = problem
    failImpatient(whatever: isHopeless)
    guard !pending.isEmpty, retry == nil else { return }
    retry = LoopTimer(on: loop, afterMilliseconds: backOff) { [unowned self] in
      retry = nil
      connect()
    }
    backOff = min(backOff * 2, Self.backOffMilliseconds.upperBound)
  }

  func receivedEnd() { stream?.close() }

  func wroteEverything() {}
  func wrotePart() {}

  func closed(_: SocketStream.CloseReason) {
    stream = nil
    if !hasHeard, !unanswered.isEmpty { silentEnds += 1 }
    unanswered = []
    guard !isClosed else { return }
    if silentEnds >= Self.silentEndsMax { failThoseInAHurry() }
    waiting = pending.values.sorted { $0.id < $1.id }[...]
    postponed = []
    if !pending.isEmpty { connectLater("the connection broke") }
  }

  // MARK: Answers

  func received(_ bytes: UnsafeRawBufferPointer) {
    hasHeard = true
    frames.feed(bytes) { [self] event in
      switch event {
      case .frame(let line): take(line)
      case .tooLong: giveUp("a line is longer than \(Self.answerBytesMax) bytes")
      }
      // Once given up, what else the peer said is of no interest.
      return stream == nil ? .pause : .more
    }
    sendWaiting()
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard let value = try? parser.parse(line, nestingMax: Self.nestingMax), value.isObject else {
      return giveUp("a line is no JSON object")
    }
    // What a subscription pushes is for who asked for it in another way than by this client.
    if value.member("id") == nil, value.member("method") != nil { return }
    guard let id = value.member("id").flatMap({ CallID($0) }) else { return giveUp("a line is no answer of JSON-RPC") }
    guard let number = Int64(id.json) else {
      // Without an id of ours it is about the connection, which the daemon ends after it.
      guard case .error(let error) = Answer(reading: value)?.outcome else {
        return giveUp("an answer has an id that no call had")
      }
      return failAll { _ in .refused(error) }
    }
    unanswered.remove(number)
    if let call = pending[number] { finish(call, with: Answer(reading: value)?.outcome) }
  }

  private func finish(_ call: PendingCall, with outcome: Answer.Outcome?) {
    switch outcome {
    case .result(let result):
      backOff = Self.backOffMilliseconds.lowerBound
      pending[call.id] = nil
      call.succeed(Array(result.raw))
    case .error(let error) where Self.isToBeRepeated(error):
      call.postponement = error
      postponed.append(call)
    case .error(let error) where error.reason == .callerUnknown:
      // It holds for the rest as well, and the daemon ends the connection after it.
      failAll { _ in .refused(error) }
    case .error(let error):
      pending[call.id] = nil
      call.fail(.refused(error))
    case nil:
      pending[call.id] = nil
      call.fail(.invalidAnswer("what came for a call is neither a result nor an error that this version knows"))
    }
  }

  /// What happens when a daemon restarts: it takes no more calls before it goes, and a repeat may find the first still
  /// running.
  private static func isToBeRepeated(_ error: RPCError) -> Bool {
    error.reason == .shuttingDown || error.reason == .inProgress
  }

  /// Ends a connection to somebody who does not speak as a daemon of Kith does.
  private func giveUp(_ what: String) {
    failAll { call in
      call.wasSent ? .invalidAnswer(what) : .unreachable(path: self.path, why: what)
    }
    stream?.close()
  }
}
