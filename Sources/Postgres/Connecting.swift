import CLibPQ
import EventLoop

extension Connection {
  /// How long one address may take to let us in, and a resolver to tell the addresses of a host.
  private static let hostMilliseconds: UInt64 = 3000

  /// Connects to the first host that lets us in.
  ///
  /// To be called on the loop; what it throws names each host's reason.
  public static func open(_ settings: ConnectionSettings, on loop: EventLoop) async throws(PostgresError) -> Connection
  {
    try await open(settings, hostNames: .shared, on: loop)
  }

  static func open(
    _ settings: ConnectionSettings, hostNames: HostNames, on loop: EventLoop
  ) async throws(PostgresError) -> Connection {
    var reasons: [Reason] = []
    for host in settings.hosts {
      switch await addressed(host, by: hostNames, on: loop) {
      case .failure(let reason): reasons.append(reason)
      case .success(let addressed):
        for options in addressed {
          switch await attempt(options, on: loop) {
          case .success(let handle):
            let connection = try Connection(handle, settings: settings, on: loop)
            guard let silence = await connection.proveServer() else { return connection }
            reasons.append(Reason(text: "\(silence)"))
          case .failure(let reason): reasons.append(reason)
          }
        }
      }
    }
    let text = reasons.map(\.text).joined(separator: "; ")
    throw reasons.contains(where: \.meansReadOnly) ? .readOnly(text) : .unavailable(text)
  }

  /// The options of a host, once for each of its addresses: libpq would look the name up itself, blocking the loop, and
  /// would go on to the second address only when the first refuses.
  private static func addressed(
    _ options: [String: String], by hostNames: HostNames, on loop: EventLoop
  ) async -> Result<[[String: String]], Reason> {
    guard let name = ConnectionSettings.hostName(in: options) else { return .success([options]) }
    switch await hostNames.addresses(of: name, withinMilliseconds: hostMilliseconds, on: loop) {
    case .failure(let failure): return .failure(Reason(text: "the host \"\(name)\" is not found: \(failure.text)"))
    case .success(let addresses):
      return .success(addresses.map { options.merging(["hostaddr": $0]) { $1 } })
    }
  }

  private static let question = Statement<Void, Void>("is_server_there", "select", encode: { _, _ in })

  /// With transaction pooling, whether PostgreSQL itself answers: PgBouncer lets us in without one behind it, and would be
  /// taken for a database that comes and goes with every statement.
  ///
  /// - Returns: nil, or why it does not; then the connection is closed.
  private func proveServer() async -> PostgresError? {
    guard settings.pooling == .transaction else { return nil }
    let limit = LoopTimer(on: loop, afterMilliseconds: Self.hostMilliseconds) { [unowned self] in close() }
    defer { limit.cancel() }
    do throws(PostgresError) {
      _ = try await rows(Self.question, ())
      return nil
    } catch {
      close()
      return error
    }
  }

  private struct Reason: Error {
    let text: String

    /// Whether the host is passed over for `target_session_attrs`, by libpq's words for `read-write` and `primary`.
    var meansReadOnly: Bool { text.contains("session is read-only") || text.contains("server is in hot standby mode") }
  }

  private static func attempt(_ options: [String: String], on loop: EventLoop) async -> Result<OpaquePointer, Reason> {
    let keywords = Array(options.keys)
    let handle = withCStrings(keywords) { keywords in
      withCStrings(options.map(\.value)) { values in PQconnectStartParams(keywords, values, 0) }
    }
    guard let handle else { return .failure(Reason(text: "out of memory")) }
    if PQstatus(handle) == CONNECTION_BAD { return .failure(giveUp(handle)) }
    let connected = await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
      Handshake(handle, on: loop, limitMilliseconds: hostMilliseconds) { continuation.resume(returning: $0) }.start()
    }
    return connected ? .success(handle) : .failure(giveUp(handle))
  }

  private static func giveUp(_ handle: OpaquePointer) -> Reason {
    var text = String(cString: PQerrorMessage(handle))
    while text.last?.isWhitespace == true { text.removeLast() }
    PQfinish(handle)
    return Reason(text: text.isEmpty ? "no answer within \(hostMilliseconds) ms" : text)
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for string in strings {
      starts.append(bytes.count)
      bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
      let pointers = starts.map { start in buffer.baseAddress.map { UnsafePointer($0 + start) } } + [nil]
      return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}

/// Drives libpq's non-blocking connect on a loop.
private final class Handshake {
  private let handle: OpaquePointer
  private let loop: EventLoop
  private let limitMilliseconds: UInt64
  private let completion: (Bool) -> Void
  private var watch: DescriptorWatch?
  private var limit: LoopTimer?
  /// Keeps the handshake alive until it is done.
  private var selfReference: Handshake?

  init(
    _ handle: OpaquePointer, on loop: EventLoop, limitMilliseconds: UInt64, completion: @escaping (Bool) -> Void
  ) {
    self.handle = handle
    self.loop = loop
    self.limitMilliseconds = limitMilliseconds
    self.completion = completion
  }

  func start() {
    selfReference = self
    limit = LoopTimer(on: loop, afterMilliseconds: limitMilliseconds) { [unowned self] in finish(false) }
    wait(for: .writable)
  }

  private func advance() {
    // libpq may close its socket and open another with the same number, so the watch must be gone before.
    watch?.close()
    watch = nil
    switch PQconnectPoll(handle) {
    case PGRES_POLLING_OK: finish(true)
    case PGRES_POLLING_READING: wait(for: .readable)
    case PGRES_POLLING_WRITING: wait(for: .writable)
    default: finish(false)
    }
  }

  private func wait(for readiness: DescriptorWatch.Readiness) {
    do {
      let watch = try DescriptorWatch(on: loop, descriptor: PQsocket(handle)) { [unowned self] _ in advance() }
      watch.watch(for: readiness)
      self.watch = watch
    } catch {
      finish(false)
    }
  }

  private func finish(_ connected: Bool) {
    watch?.close()
    watch = nil
    limit = nil
    completion(connected)
    selfReference = nil
  }
}
