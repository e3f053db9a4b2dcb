import API
import Accounts
import EventLoop
import JSON
import JSONRPC
import Synchronization

/// Calls `kithd` over its Unix socket.
///
/// One client serves any number of tasks at once: their calls share a connection and are answered as they are done. When the
/// connection breaks, or the daemon says that it is stopping, the client connects again and repeats what was under way. That
/// is safe for every call, because one that changes something always carries a request key: the caller's, or else one that the
/// client makes up for that call. Whoever repeats a call *themselves*, after ``ClientError/connectionLost(path:)`` say, gives a
/// key of their own, the same each time.
///
/// At most 256 calls are in flight; more wait for their turn. A call whose line would be longer than the daemon takes (1 MiB)
/// is refused as `too_large` without being sent.
public final class KithClient: Sendable {
  /// Results are not as deep as this.
  private static let nestingMax = 512

  private let loop: EventLoop
  private let ownsLoop: Bool
  private let connection: ClientConnection
  private let socketPath: String
  private let timing: CallTiming
  /// Whether calls are still handed to the loop: one handed to a loop that has stopped would never end.
  private let isOpen = Mutex(true)

  /// Makes a client; it connects with the first call.
  ///
  /// - Parameters:
  ///   - socketPath: of the daemon's `app.sock` or `admin.sock`.
  ///   - timeoutSeconds: how long a call may take, its repeats included, unless it says otherwise.
  ///   - patienceSeconds: how long a call waits for a daemon that is not there, as while it restarts, before it fails as
  ///     ``ClientError/unreachable(path:why:)``. A call that was sent already waits as long as it may take;
  ///     with 0 it does not where every connection is ended without a word, and fails as ``ClientError/invalidAnswer(_:)``.
  ///   - loop: a running loop to share, which must run until the client is closed; nil for a thread of the client's own.
  public init(
    socketPath: String, timeoutSeconds: Double = 30, patienceSeconds: Double = 5, on loop: EventLoop? = nil
  ) throws(ClientError) {
    self.socketPath = socketPath
    timing = CallTiming(timeoutSeconds: timeoutSeconds, patienceSeconds: patienceSeconds)
    ownsLoop = loop == nil
    if let loop {
      self.loop = loop
    } else {
      self.loop = try Self.startLoop(for: socketPath)
    }
    connection = ClientConnection(to: socketPath, on: self.loop)
  }

  private static func startLoop(for socketPath: String) throws(ClientError) -> EventLoop {
    do throws(EventLoopError) {
      let loop = try EventLoop()
      try loop.start(name: "kith-client")
      return loop
    } catch {
      throw .unreachable(path: socketPath, why: "\(error)")
    }
  }

  deinit { close() }

  /// Closes the connection, for good. Calls under way fail.
  public func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      loop.perform { [connection, loop, ownsLoop] in
        connection.close()
        if ownsLoop { loop.stop() }
      }
    }
  }

  /// Calls a method and waits for its result: `try await client.call(UserGet.self, .init(.id(id)))`.
  ///
  /// - Parameters:
  ///   - requestKey: for a method that changes something: a repeat with the same key and parameters gets the same answer for
  ///     30 days, also from another process. Nil lets the client make one up for its own repeats.
  ///   - timeoutSeconds: how long this call may take; nil for what the client was made with.
  public func call<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, requestKey: String? = nil, timeoutSeconds: Double? = nil
  ) async throws(ClientError) -> M.Result {
    try Self.result(
      of: method,
      from: try await callForJSON(method, parameters, requestKey: requestKey, timeoutSeconds: timeoutSeconds))
  }

  /// Reads a result that ``callForJSON(_:_:requestKey:timeoutSeconds:)`` gave.
  public static func result<M: Method>(of _: M.Type, from json: [UInt8]) throws(ClientError) -> M.Result {
    do {
      return try json.withUnsafeBytes { bytes in
        let parser = JSONParser()
        return try withExtendedLifetime(parser) {
          try Response<M>(decoding: parser.parse(bytes, nestingMax: nestingMax)).result
        }
      }
    } catch let problem as ShapeProblem {
      throw .invalidAnswer("\(problem.under("result").path) \(problem.rule)")
    } catch {
      throw .invalidAnswer("the result is no JSON")
    }
  }

  /// As ``call(_:_:requestKey:timeoutSeconds:)``, giving the result's JSON text as it came.
  public func callForJSON<M: Method>(
    _: M.Type, _ parameters: M.Parameters, requestKey: String? = nil, timeoutSeconds: Double? = nil
  ) async throws(ClientError) -> [UInt8] {
    let key = M.changes ? requestKey ?? (M.isRepeatable ? nil : Self.newRequestKey()) : nil
    let request = Request<M>(parameters, requestKey: key.map { ExactText($0) })
    let timing = CallTiming(
      timeoutSeconds: timeoutSeconds ?? timing.timeoutSeconds, patienceSeconds: timing.patienceSeconds)
    let ticket = ClientConnection.Ticket()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], ClientError>, Never>) in
        let isBegun = perform { connection in
          connection.begin(M.name.description, { request.encode(into: &$0) }, timing, ticket) {
            continuation.resume(returning: $0)
          }
        }
        guard isBegun else {
          return continuation.resume(returning: .failure(.unreachable(path: socketPath, why: "the client was closed")))
        }
      }
    } onCancel: {
      perform { $0.cancel(ticket) }
    }.get()
  }

  /// Has something done on the loop, unless the client is closed; tells whether it will be.
  @discardableResult
  private func perform(_ action: @escaping @Sendable (ClientConnection) -> Void) -> Bool {
    isOpen.withLock { isOpen in
      if isOpen { loop.perform { [connection] in action(connection) } }
      return isOpen
    }
  }

  /// 128 random bits: no two calls have the same.
  private static func newRequestKey() -> String {
    var generator = SystemRandomNumberGenerator()
    return "client-" + String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
  }
}
