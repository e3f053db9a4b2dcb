import API
import Terminal

extension Command where Context == CommandContext {
  static let status: Command = Command(
    "status", "Show how the daemon does",
    details: "Exits 5 while the daemon cannot reach its database, or may not write to it."
  ) { context throws(CommandFailure) in
    let socket = try context.socketPath()
    let (status, json) = try await context.statusWithJSON(at: socket)
    if context.wantsJSON {
      context.write(json: json)
    } else {
      context.console.writeOutput(lines: context.lines(of: StatusSheet(status, socket: socket).sheet))
    }
    guard status.database.readOnly != true else {
      throw CommandFailure(
        .tryAgain, "the daemon's database is read-only, so nothing can be changed", hint: "kith doctor says what to do"
      )
    }
    guard status.database.state == .up else {
      throw CommandFailure(
        .tryAgain, "the daemon cannot reach its database",
        hint: "it connects again by itself once PostgreSQL answers; its journal says why it does not")
    }
  }
}
