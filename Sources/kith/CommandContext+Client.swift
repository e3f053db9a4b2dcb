import API
import KithClient
import Terminal

extension CommandContext {
  /// A person waits, so not as long as a program would.
  private static let timeoutSeconds = 15.0

  /// Lends a client of the daemon.
  ///
  /// - Parameters:
  ///   - named: the daemon's socket; nil for ``socketPath()``.
  ///   - user: how the person named the user whom the daemon is asked for.
  ///   - patienceSeconds: how long a daemon that is not there is waited for: who looks why it does not answer wants to know at
  ///     once.
  func withClient<Value>(
    at named: String? = nil, userNamed user: String? = nil, patienceSeconds: Double = 0,
    _ body: (KithClient) async throws(ClientError) -> Value
  ) async throws(CommandFailure) -> Value {
    let path = if let named { named } else { try socketPath() }
    do throws(ClientError) {
      let client = try KithClient(
        socketPath: path, timeoutSeconds: Self.timeoutSeconds, patienceSeconds: patienceSeconds)
      defer { client.close() }
      return try await body(client)
    } catch {
      throw CommandFailure(error, at: path, userNamed: user)
    }
  }

  /// Calls a method and prints its result: as JSON when that was asked for, else by `lines`.
  func show<M: Method>(
    _ method: M.Type, _ parameters: M.Parameters, userNamed user: String? = nil, _ lines: (M.Result) -> [String]
  ) async throws(CommandFailure) {
    if wantsJSON {
      let json = try await withClient(userNamed: user) { client throws(ClientError) in
        try await client.callForJSON(method, parameters)
      }
      write(json: String(decoding: json, as: UTF8.self))
    } else {
      let result = try await withClient(userNamed: user) { client throws(ClientError) in
        try await client.call(method, parameters)
      }
      console.writeOutput(lines: lines(result))
    }
  }

  /// The daemon's status, and the JSON it came as.
  func statusWithJSON(
    at socket: String
  ) async throws(CommandFailure) -> (status: ServerStatus.Result, json: String) {
    try await withClient(at: socket) { client throws(ClientError) in
      let json = try await client.callForJSON(ServerStatus.self, EmptyShape())
      return (try KithClient.result(of: ServerStatus.self, from: json), String(decoding: json, as: UTF8.self))
    }
  }

  /// Prints one JSON document.
  func write(json: String) {
    console.writeOutput(JSONDocument(compact: json).text(forTerminal: console.outputWidth != nil) + "\n")
  }

  /// Sentences that may hold names from elsewhere, safe for a terminal.
  func lines(_ sentences: String...) -> [String] { sentences.map { VisibleText($0).string } }

  func lines(of sheet: Sheet) -> [String] { sheet.lines(widthMax: console.outputWidth, palette: palette) }

  func lines(of table: Table) -> [String] { table.lines(widthMax: console.outputWidth, palette: palette) }
}
