import Accounts
import EventLoop
import JSON
import JSONRPC
import UnixSocket

/// One connection: takes frames apart, starts calls, and paces itself by the limits.
///
/// `@unchecked Sendable`: it belongs to its worker's loop and is touched on that loop's thread only.
final class Session: SocketStreamOwner, EndOfTurn, @unchecked Sendable {
  /// Kept until the session ends, and the worker keeps the session until then.
  let worker: Worker
  let peer: PeerCredentials
  let socket: SocketRole

  private let stream: SocketStream
  private var frames: FrameReader
  private var access: Access?
  private var generation = 0
  /// Why nothing but a refusal comes from here.
  private let refusal: RPCError?

  private var inFlight = 0
  /// Calls of batches that wait for others to finish, or for the peer to read.
  private var ready: [(call: any ReadyCall, batch: BatchCollector?)] = []
  private var nextReady = 0
  /// The batch of whose line a part has left. Whatever else is to be sent waits for its end.
  private var leaving: BatchCollector?
  private var held: [UInt8] = []
  private var waitingBatches: [BatchCollector] = []
  private var isResumeDue = false
  private var subscription: Subscription?
  /// What is to be done for calls under way when the peer says nothing more.
  private var endActions: [ObjectIdentifier: () -> Void] = [:]
  /// Those who wait until everything is sent.
  private var drainWaits: [() -> Void] = []
  /// Whether frames that have come are left for later. Kept here because `frames` cannot be asked while it is read from.
  private var isPaused = false
  private var hasPeerEnded = false
  private var isClosing = false
  private var hasLeft = false
  /// Whether the daemon stops and what has come to the socket since is not looked at yet.
  private var isEnding = false
  /// The frame of which a part has come, and when it was first seen.
  private var partialFrame: (number: Int, sinceMilliseconds: UInt64)?

  init(
    _ worker: Worker, descriptor: Int32, peer: PeerCredentials, socket: SocketRole, refusal: RPCError?
  ) throws(EventLoopError) {
    self.worker = worker
    self.peer = peer
    self.socket = socket
    self.refusal = refusal
    let limits = worker.settings.limits
    frames = FrameReader(frameBytesMax: limits.frameBytesMax)
    stream = try SocketStream(on: worker.loop, descriptor: descriptor, queuedBytesMax: limits.answerBytesQueuedMax)
    stream.owner = self
    if refusal != nil { partialFrame = (0, worker.loop.nowMilliseconds) }
    stream.resumeReading()
  }

  deinit { frames.wipe() }

  // MARK: Reading

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing else { return }
    frames.frameBytesMax = worker.settings.limits.frameBytesMax
    stream.queuedBytesMax = worker.settings.limits.answerBytesQueuedMax
    frames.feed(bytes) { [self] event in take(event) }
    afterReading()
  }

  func receivedEnd() {
    hasPeerEnded = true
    // Whoever has gone away looks the same, so nobody is waited for who says nothing more.
    endSubscription()
    endWaits()
    if frames.partialFrame != nil, !isClosing {
      send(RPCError(.parseError, "The connection ended within a line; a line ends with a newline."))
    }
    closeIfDone()
  }

  func turnEnded() {
    isResumeDue = false
    startReady()
    guard hasRoom, isPaused, !isClosing else { return }
    isPaused = false
    frames.resume { [self] event in take(event) }
    afterReading()
  }

  private var hasRoom: Bool { nextReady == ready.count && mayBegin(callOf: nil) }

  /// Whether one more call may begin: while more answers wait for the peer than may, it need not have further ones. Those of the batch whose line is leaving need not wait for what waits for that line.
  private func mayBegin(callOf batch: BatchCollector?) -> Bool {
    let limits = worker.settings.limits
    guard inFlight < limits.callsInFlightMax, stream.queuedBytes <= limits.answerBytesQueuedMax else { return false }
    return leaving == nil || leaving === batch || heldByteCount <= limits.answerBytesQueuedMax
  }

  private func take(_ event: FrameReader.Event) -> FrameReader.Flow {
    switch event {
    case .tooLong:
      send(.limit(.frameBytes, max: worker.settings.limits.frameBytesMax))
      closeWhenSent()
    case .frame(let frame):
      take(worker.decoder.decode(frame))
      worker.decoder.wipe()
    }
    isPaused = !hasRoom || isClosing
    return isPaused ? .pause : .more
  }

  private func afterReading() {
    partialFrame = frames.partialFrame.map { number in
      number == partialFrame?.number ? partialFrame ?? (number, 0) : (number, worker.loop.nowMilliseconds)
    }
    if isPaused || isClosing || hasPeerEnded {
      stream.pauseReading()
    } else {
      stream.resumeReading()
    }
    closeIfDone()
  }

  private func take(_ message: Message) {
    switch message {
    case .single(let entry):
      start(entry, batch: nil)
    case .refused(let error):
      send(refusal ?? error)
    case .batch(let entries):
      let batch = BatchCollector(self)
      for entry in entries { start(entry, batch: batch) }
      batch.close()
    }
    if refusal != nil { closeWhenSent() }
  }

  // MARK: Calls

  private func start(_ entry: MessageEntry, batch: BatchCollector?) {
    switch entry {
    case .invalid(let error, let id):
      answer(id, with: refusal ?? error, in: batch)
    case .call(let call):
      do throws(RPCError) {
        try start(call, batch: batch)
      } catch {
        if let id = call.id { answer(id, with: error, in: batch) }
      }
    }
  }

  private func start(_ call: Call, batch: BatchCollector?) throws(RPCError) {
    if let refusal { throw refusal }
    guard !worker.isStopping else { throw RPCError(.shuttingDown) }
    let access = try currentAccess()
    guard let place = worker.methods.place(of: call.method) else { throw RPCError(.methodNotFound) }
    guard access.allows(methodAt: place) else { throw Self.forbidden }
    let requestID = worker.nextRequestID()
    let context = CallContext(self, access, id: call.id, method: place, requestID: requestID, batch: batch)
    let readyCall: any ReadyCall
    do throws(RPCError) {
      readyCall = try worker.methods.entries[place].prepare(call.params, context)
    } catch {
      worker.metrics.count(place, reason: error.reason, since: nil)
      throw error
    }
    if call.id != nil { batch?.expectAnswer() }
    if nextReady == ready.count, mayBegin(callOf: batch) {
      inFlight += 1
      readyCall.run()
    } else {
      ready.append((readyCall, batch))
    }
  }

  private static let forbidden = RPCError(
    .methodForbidden,
    hint: "It must be among the methods of this caller in the configuration; signin.resolve needs may_assert as well.")

  /// The peer's rights under the configuration of the moment.
  private func currentAccess() throws(RPCError) -> Access {
    if let access, generation == worker.settings.generation { return access }
    guard let found = worker.access(of: peer, on: socket) else {
      // Closed after reading, when the refusal is on its way.
      isClosing = true
      throw RPCError(.callerUnknown)
    }
    access = found
    generation = worker.settings.generation
    return found
  }

  func callFinished() {
    inFlight -= 1
    guard nextReady < ready.count || isPaused || hasPeerEnded || isClosing, !isResumeDue else { return }
    isResumeDue = true
    worker.loop.atEndOfTurn(self)
  }

  private func startReady() {
    while nextReady < ready.count, mayBegin(callOf: ready[nextReady].batch) {
      inFlight += 1
      nextReady += 1
      ready[nextReady - 1].call.run()
    }
    if nextReady == ready.count, nextReady > 0 {
      ready = []
      nextReady = 0
    }
    closeIfDone()
    leaveIfDone()
  }

  // MARK: Answering

  /// Sends one answer as a line of its own.
  func send(_ write: (inout JSONWriter) -> Void) {
    write(&worker.writer)
    worker.writer.endLine()
    worker.writer.withUnsafeBytes { line in
      if leaving == nil { stream.write { $0.append(contentsOf: line) } } else { held.append(contentsOf: line) }
    }
    worker.trimWriter()
  }

  /// Sends what a batch has gathered of its line, or lets it wait for the line that is leaving.
  func sendPart(of batch: BatchCollector) {
    guard leaving == nil || leaving === batch else {
      if !waitingBatches.contains(where: { $0 === batch }) { waitingBatches.append(batch) }
      return
    }
    if let part = batch.takePart() { stream.write { $0.append(contentsOf: part) } }
    leaving = batch.isComplete ? nil : batch
    guard leaving == nil else { return }
    if !held.isEmpty { stream.write { $0.append(contentsOf: held) } }
    held = []
    if !waitingBatches.isEmpty { sendPart(of: waitingBatches.removeFirst()) }
  }

  private var heldByteCount: Int { waitingBatches.reduce(held.count) { $0 + $1.byteCount } }

  /// Answers what cannot be told by an id.
  private func send(_ error: RPCError) {
    answer(.null, with: error, in: nil)
  }

  private func answer(_ id: CallID, with error: RPCError, in batch: BatchCollector?) {
    var error = error
    error.requestID = worker.nextRequestID()
    if let batch {
      batch.expectAnswer()
      batch.add { $0.answer(to: id, error: error) }
    } else {
      send { $0.answer(to: id, error: error) }
    }
  }

  // MARK: Pushing

  /// - Returns: false if there is one already.
  func take(_ subscription: Subscription) -> Bool {
    guard self.subscription == nil else { return false }
    self.subscription = subscription
    if !stream.isOpen || hasPeerEnded || isClosing { endSubscription() }
    return true
  }

  /// Sends lines that are no answer, and that others may get as well.
  func push(_ lines: [UInt8]) {
    if leaving == nil { stream.write(shared: lines) } else { held.append(contentsOf: lines) }
  }

  /// Returns once everything that was sent has been handed to the kernel, or the connection has ended.
  func drained() async {
    guard !isDrained else { return }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      drainWaits.append { continuation.resume() }
    }
  }

  private var isDrained: Bool { !stream.isOpen || (stream.queuedBytes == 0 && heldByteCount == 0) }

  private func tellDrained() {
    guard isDrained else { return }
    let waits = drainWaits
    drainWaits = []
    for wait in waits { wait() }
  }

  /// Why the peer may not call a method under the configuration of the moment; nil if it may.
  func refusal(ofMethodAt place: Int) -> RPCError? {
    do throws(RPCError) {
      return try currentAccess().allows(methodAt: place) ? nil : Self.forbidden
    } catch {
      return error
    }
  }

  /// Says why the connection ends, and closes it.
  func end(with error: RPCError) {
    send(error)
    closeWhenSent()
  }

  private func endSubscription() {
    subscription?.end()
  }

  private func endWaits() {
    let actions = endActions.values
    endActions = [:]
    for action in actions { action() }
  }

  /// Has something done for a call when the peer says nothing more; nil takes that back.
  func whenPeerEnds(_ call: CallContext, _ action: (() -> Void)?) {
    guard stream.isOpen, !hasPeerEnded else {
      action?()
      return
    }
    endActions[ObjectIdentifier(call)] = action
  }

  // MARK: Ending

  /// Closes a connection whose frame has been under way for too long.
  func checkTime() {
    guard let partialFrame, !isClosing else { return }
    let limit = worker.settings.limits.frameSecondsMax
    guard !stream.isHoldingInput else {
      // The rest may have come, and is not read because the peer does not read.
      self.partialFrame = (partialFrame.number, worker.loop.nowMilliseconds)
      return
    }
    guard worker.loop.nowMilliseconds >= partialFrame.sinceMilliseconds + UInt64(limit * 1000) else { return }
    // After a pause of our own the rest may be there and only unread.
    stream.readNow()
    guard stream.isOpen, !isClosing, self.partialFrame?.number == partialFrame.number else { return }
    send(refusal ?? .limit(.frameSeconds, max: Int(limit.rounded(.up))))
    closeWhenSent()
  }

  /// Begins no further call, and closes once what is in flight is answered.
  func closeWhenIdle() {
    stream.pauseReading()
    hasPeerEnded = true
    isEnding = true
    endSubscription()
    closeIfDone()
  }

  func closeNow() { stream.close() }

  func wroteEverything() {
    wrotePart()
    tellDrained()
    closeIfDone()
  }

  func wrotePart() {
    guard nextReady < ready.count || isPaused else { return }
    // With a look at everybody else's input before.
    worker.loop.perform { [self] in turnEnded() }
  }

  func closed(_ reason: SocketStream.CloseReason) {
    if reason == .tooMuchQueued {
      worker.journal.write(.info, "closed a connection of uid \(peer.uid): it does not read its answers")
    }
    isClosing = true
    endSubscription()
    subscription = nil
    tellDrained()
    endWaits()
    // Nobody waits for what has not begun.
    ready = []
    nextReady = 0
    leaveIfDone()
  }

  /// Lets the worker forget the session once it is closed and its last call has ended. Until then it counts: whoever goes
  /// away at once after every call has no more calls running than whoever stays.
  private func leaveIfDone() {
    guard !stream.isOpen, !hasLeft, inFlight == 0, nextReady == ready.count else { return }
    hasLeft = true
    worker.sessionClosed(self)
  }

  private func closeWhenSent() {
    isClosing = true
    stream.pauseReading()
    closeIfDone()
  }

  private func closeIfDone() {
    guard isClosing || hasPeerEnded, stream.isOpen, inFlight == 0, nextReady == ready.count else { return }
    guard isClosing || !isPaused, stream.queuedBytes == 0 else { return }
    if isEnding, !isClosing {
      // Once: what came meanwhile is refused, not dropped.
      isEnding = false
      stream.readNow()
      guard stream.isOpen, stream.queuedBytes == 0, !isPaused else { return }
    }
    stream.close()
  }
}
