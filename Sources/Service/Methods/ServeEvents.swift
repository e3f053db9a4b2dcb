import API
import Accounts
import JSON
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveEventRead() {
    serve(EventRead.self) { call throws(RPCError) in
      let context = call.context
      let follower = try context.follower(call.parameters)
      defer { context.whenPeerEnds(nil) }
      let page = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.followEvents.read(
          follower, limit: call.parameters.effectiveLimit,
          waitMilliseconds: UInt64(call.parameters.waitMilliseconds ?? 0)
        ) { wait in context.whenPeerEnds { wait.hurry() } }
      }
      return .kept(page.answer)
    }
  }

  mutating func serveEventAck() {
    serve(EventAck.self) { call throws(RPCError) in
      let context = call.context
      let consumer = try context.consumer(call.parameters.consumer)
      let cursor = try EventCursor(parameter: call.parameters.cursor)
      let answer = try await translating(context) { () throws(OperationError) in
        try await context.worker.operations.acknowledgeEvents.acknowledge(
          consumer, upTo: cursor, call: call.change { EventPosition(cursor: $0.text) })
      }
      return Reply(answer) { EventPosition(cursor: $0.text) }
    }
  }

  mutating func serveEventSubscribe() {
    serve(
      EventSubscribe.self,
      starting: { call in
        Task.immediate(executorPreference: call.context.worker.loop) {
          do throws(RPCError) {
            let start = try await beginning(of: call)
            let subscription = try call.context.subscribe(after: start)
            // The answer comes before the first event.
            call.answer(EventPosition(cursor: start.text))
            subscription.start()
          } catch {
            call.refuse(error)
          }
        }
      })
  }
}

private func beginning(of call: Invocation<EventSubscribe>) async throws(RPCError) -> EventCursor {
  let follower = FollowEvents.Follower.consumer(
    try call.context.consumer(call.parameters.consumer), origin: FollowEvents.Origin(call.parameters.from))
  return try await translating(call.context) { () throws(OperationError) in
    try await call.context.worker.operations.followEvents.start(of: follower)
  }
}

extension CallContext {
  fileprivate func consumer(_ name: ExactText) throws(RPCError) -> ConsumerKey {
    guard let name = ConsumerName(name) else {
      throw RPCError(.invalidParams, details: [.path("params.consumer"), .problem(.format)])
    }
    return ConsumerKey(caller: caller.name, name: name)
  }

  fileprivate func follower(_ parameters: EventRead.Parameters) throws(RPCError) -> FollowEvents.Follower {
    if let cursor = parameters.cursor { return .cursor(try EventCursor(parameter: cursor)) }
    let origin = FollowEvents.Origin(parameters.from)
    guard let consumer = parameters.consumer else { return .nobody(origin) }
    return .consumer(try self.consumer(consumer), origin: origin)
  }
}

extension EventCursor {
  fileprivate init(parameter text: ExactText) throws(RPCError) {
    guard let cursor = EventCursor(text.string) else {
      throw RPCError(
        .invalidParams, "The parameter cursor is none that was told.",
        details: [.path("params.cursor"), .problem(.format)])
    }
    self = cursor
  }

  fileprivate var text: ExactText { ExactText(description) }
}

extension FollowEvents.Origin {
  fileprivate init(_ word: EventOrigin?) {
    self = word == .now ? .now : .oldest
  }
}

extension EventPage {
  /// The page as a result of `event.read`.
  fileprivate var answer: [UInt8] {
    bytes(.answer) {
      var writer = JSONWriter()
      let result = EventRead.Result(events: shapes, cursor: cursor.text)
      Response<EventRead>(result).encode(into: &writer)
      return writer.take()
    }
  }

  /// The page as notifications, each a line.
  var notificationLines: [UInt8] {
    bytes(.notifications) {
      var writer = JSONWriter()
      var lines: [UInt8] = []
      for shape in shapes {
        writer.beginCall(EventShape.notification, id: nil)
        shape.encode(into: &writer)
        writer.endCall()
        writer.endLine()
        lines += writer.take()
      }
      return lines
    }
  }

  private var shapes: [EventShape] {
    events.map { event in
      EventShape(
        cursor: cursor(after: event).text, id: event.id, type: event.type, at: event.at, userID: event.user,
        caller: event.caller, data: RawJSON(event.data))
    }
  }
}
