import API
import Accounts
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let eventTail: Command = Command(
    "tail", "Print what happens, as it happens",
    details: """
      Goes on until Ctrl-C. Without --consumer it prints what happens from now on,
      or with --from oldest first all events that are kept. With --consumer the
      daemon remembers under that name what was printed, and the next time it goes
      on behind it.
      """,
    options: [.consumer, .from, .count]
  ) { context throws(CommandFailure) in
    try await EventTail(context).run()
  }
}

extension OptionDeclaration {
  fileprivate static let consumer = OptionDeclaration(
    "consumer", .text("NAME"), "Remember under this name what was printed")
  fileprivate static let from = OptionDeclaration(
    "from", .choice("WHERE", EventOrigin.allCases.map(\.rawValue)),
    "Where to begin; a NAME that was used before goes on")
  fileprivate static let count = OptionDeclaration("count", .text("N"), "End when so many events were printed")
}

/// Reads events and prints them until it is interrupted.
private struct EventTail: Sendable {
  private static let waitMilliseconds = 30_000
  /// Beside the wait.
  private static let timeoutSeconds = 15.0
  /// A daemon that restarts is waited for, once it has answered.
  private static let patienceSeconds = 60.0

  private let context: CommandContext
  private let consumer: ExactText?
  private let origin: EventOrigin?
  private let countMax: Int?

  init(_ context: CommandContext) throws(CommandFailure) {
    self.context = context
    consumer = context.text(of: .consumer)
    origin = context.arguments.value(of: .from).flatMap { EventOrigin(rawValue: $0) }
    countMax = try context.arguments.value(of: .count).map { text throws(CommandFailure) in
      guard let count = Int(text), count > 0 else {
        throw CommandFailure(.usage, "--count is a number from 1 on, not \"\(text)\"")
      }
      return count
    }
  }

  func run() async throws(CommandFailure) {
    let task = Task { () -> CommandFailure? in
      do throws(CommandFailure) {
        try await follow()
        return nil
      } catch {
        return error
      }
    }
    let interruption = try Interruption { task.cancel() }
    let failure = await task.value
    interruption.end()
    if let failure { throw failure }
  }

  private func follow() async throws(CommandFailure) {
    var state = State(
      parameters: EventRead.Parameters(consumer: consumer, from: origin ?? (consumer == nil ? .now : nil)),
      left: countMax ?? .max)
    // Whoever calls a daemon that is not there wants to know at once.
    try await context.withClient { client throws(ClientError) in state = try await step(state, waiting: 0, client) }
    try await context.withClient(patienceSeconds: Self.patienceSeconds) { client throws(ClientError) in
      while state.left > 0, !Task.isCancelled {
        state = try await step(state, waiting: Self.waitMilliseconds, client)
      }
    }
  }

  /// Where it is.
  private struct State {
    var parameters: EventRead.Parameters
    /// How many are still to be printed.
    var left: Int
  }

  /// Reads once, prints, and acknowledges what was printed.
  private func step(
    _ state: State, waiting milliseconds: Int, _ client: KithClient
  ) async throws(ClientError) -> State {
    var state = state
    state.parameters.limit = min(state.left, Page.limitDefault)
    state.parameters.waitMilliseconds = milliseconds
    let page: EventRead.Result
    do throws(ClientError) {
      page = try await client.call(
        EventRead.self, state.parameters, timeoutSeconds: Double(milliseconds) / 1000 + Self.timeoutSeconds)
    } catch {
      if case .cancelled = error { return state }
      throw error
    }
    context.console.writeOutput(lines: page.events.flatMap { EventLine($0).lines(in: context) })
    state.left -= page.events.count
    if let consumer {
      if !page.events.isEmpty { try await acknowledge(page.cursor, consumer, client) }
    } else {
      state.parameters.cursor = page.cursor
      state.parameters.from = nil
    }
    return state
  }

  /// In a task of its own, which is not cancelled: what was printed is done.
  private func acknowledge(
    _ cursor: ExactText, _ consumer: ExactText, _ client: KithClient
  ) async throws(ClientError) {
    let task = Task { () -> ClientError? in
      do throws(ClientError) {
        _ = try await client.call(EventAck.self, EventAck.Parameters(consumer: consumer, cursor: cursor))
        return nil
      } catch {
        return error
      }
    }
    if let error = await task.value { throw error }
  }
}
