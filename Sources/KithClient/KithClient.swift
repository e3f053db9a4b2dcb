import API
import Accounts
import EventLoop
import JSON
import JSONRPC

/// Calls `kithd` over its Unix socket.
///
/// One client serves any number of tasks at once: their calls share a connection and are answered as they are done. When the
/// connection breaks the client connects again and repeats what was under way. That is safe for every call, because one
/// that changes something always carries a request key: the caller's, or else one that the client makes up.
///
/// `@unchecked Sendable`: everything but `loop` and `connection`, which never change, is the connection's own, and that is
/// touched on the loop's thread only.
public final class KithClient: @unchecked Sendable {
  private let loop: EventLoop
  private let connection: ClientConnection

  /// Makes a client; it connects with the first call.
  ///
  /// - Parameters:
  ///   - socketPath: of the daemon's `app.sock` or `admin.sock`.
  ///   - timeoutSeconds: how long a call may take, attempts to connect again included.
  public init(socketPath: String, timeoutSeconds: Double = 30) throws(ClientError) {
    do {
      loop = try EventLoop()
      try loop.start(name: "kith-client")
    } catch {
      throw .unreachable(path: socketPath, why: "\(error)")
    }
    connection = ClientConnection(to: socketPath, timeoutSeconds: timeoutSeconds, on: loop)
  }

  deinit { close() }

  /// Closes the connection. Calls under way fail.
  public func close() {
    let connection = connection
    let loop = loop
    loop.perform {
      connection.close()
      loop.stop()
    }
  }

  /// Calls a method and waits for its result.
  ///
  /// - Parameter requestKey: for a method that changes something: a repeat with the same key and parameters gets the same
  ///   answer, also from another process. Nil lets the client make one up for its own repeats.
  public func call<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, requestKey: String? = nil
  ) async throws(ClientError) -> M.Result {
    let json = try await callForJSON(method, parameters, requestKey: requestKey)
    let parser = JSONParser()
    do {
      return try json.withUnsafeBytes {
        try Response<M>(decoding: parser.parse($0, nestingMax: Self.nestingMax)).result
      }
    } catch {
      throw .invalidAnswer("\(error)")
    }
  }

  /// As ``call(_:_:requestKey:)``, giving the result's JSON text as it came.
  public func callForJSON<M: Method>(
    _: M.Type, _ parameters: M.Parameters, requestKey: String? = nil
  ) async throws(ClientError) -> [UInt8] {
    let key = M.changes ? requestKey ?? Self.newRequestKey() : nil
    let request = Request<M>(parameters, requestKey: key.map { ExactText($0) })
    return try await connection.call(M.name.description) { writer in request.encode(into: &writer) }
  }

  /// Results are not as deep as this.
  private static let nestingMax = 512

  private static func newRequestKey() -> String {
    var generator = SystemRandomNumberGenerator()
    return "client-" + String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
  }
}
