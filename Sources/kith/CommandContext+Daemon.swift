import API
import Accounts
import Glibc
import KithClient
import Terminal

extension CommandContext {
  /// A person waits, so not as long as a program would.
  private static let timeoutSeconds = 15.0

  /// The administrators' socket: named on the command line or in `KITH_SOCKET`, else the first of the usual ones that is
  /// there.
  var socketPath: String {
    if let named = arguments.value(of: .socket) ?? environment["KITH_SOCKET"] { return named }
    let own = environment["XDG_RUNTIME_DIR"].map { $0 + "/kith/admin.sock" }
    if let own, geteuid() != 0, access(own, F_OK) == 0 { return own }
    return "/run/kith/admin.sock"
  }

  func withClient<Value>(
    _ body: (KithClient) async throws(ClientError) -> Value
  ) async throws(CommandFailure) -> Value {
    do throws(ClientError) {
      let client = try KithClient(socketPath: socketPath, timeoutSeconds: Self.timeoutSeconds)
      defer { client.close() }
      return try await body(client)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Calls a method and prints its result: as JSON when that was asked for, else by `lines`.
  func show<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, _ lines: (M.Result) -> [String]
  ) async throws(CommandFailure) {
    if arguments.contains(.json) {
      let json = try await withClient { client throws(ClientError) in
        try await client.callForJSON(method, parameters)
      }
      let document = JSONDocument(compact: String(decoding: json, as: UTF8.self))
      return console.writeOutput(document.text(forTerminal: console.outputWidth != nil) + "\n")
    }
    let result = try await withClient { client throws(ClientError) in try await client.call(method, parameters) }
    console.writeOutput(lines: lines(result))
  }

  func lines(of sheet: Sheet) -> [String] { sheet.lines(widthMax: console.outputWidth, palette: palette) }

  func lines(of table: Table) -> [String] { table.lines(widthMax: console.outputWidth, palette: palette) }
}

extension CommandFailure {
  /// A failed call as a command fails.
  init(_ error: ClientError) {
    switch error {
    case .refused(let refusal):
      let code: ExitCode =
        switch refusal.reason {
        case .notFound, .userErased: .notFound
        default: refusal.isRetryable ? .tryAgain : .failed
        }
      let journal =
        refusal.reason == .internal
        ? refusal.requestID.map { "the daemon's journal tells more of request \($0)" } : nil
      self.init(code, refusal.message, hint: refusal.hint ?? journal ?? Self.hint(refusal.reason.rawValue))
    case .unreachable(let path, _):
      let hint =
        access(path, F_OK) == 0
        ? "is kithd running, and are you in the socket's group? Ask: kith doctor"
        : "start kithd, or name its administrators' socket with --socket"
      self.init(.daemonUnreachable, error.description, hint: hint)
    case .connectionLost, .timedOut, .cancelled:
      self.init(.tryAgain, error.description, hint: "try again in a moment")
    case .invalidAnswer:
      self.init(.failed, error.description, hint: "is this the socket of a kithd of the same version?")
    }
  }

  private static func hint(_ reason: String) -> String? {
    switch reason {
    case "caller_unknown": "add your user or group to callers in the daemon's configuration"
    case "method_forbidden": "your entry in callers does not allow this method, or not on this socket"
    default: nil
    }
  }
}
