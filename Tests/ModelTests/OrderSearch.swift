/// Looks for an order of the calls of a history in which the model, which does one after the other, gives every answer as it
/// was given, and no call comes before one that was over when it began.
///
/// A search in depth that remembers from which states it has looked already (after Wing and Gong). A client has one call under
/// way at a time, so which calls are done is told by how many each client has done.
struct OrderSearch {
  /// No order was found.
  struct Failure: Error, Sendable, CustomStringConvertible {
    /// A call that might come next, and what the model would answer.
    struct Next: Sendable {
      let event: Int
      let answer: Answer
    }

    let history: History
    /// The order that goes furthest, by places in the history.
    let furthest: [Int]
    /// What might follow it.
    let next: [Next]
    let gaveUp: Bool

    var description: String {
      let order = furthest.map { "\($0 + 1)" }.joined(separator: " ")
      let what = next.map { next in
        "  \(next.event + 1): \(history.events[next.event].call)\n"
          + "     was answered    \(history.events[next.event].answer)\n"
          + "     instead of      \(next.answer)"
      }
      return """
        \(history.table)

        \(gaveUp ? "The search was given up." : "No order of these calls explains the answers.")
        One goes as far as: \(order.isEmpty ? "nothing" : order)
        Then:
        \(what.joined(separator: "\n"))
        """
    }
  }

  private struct Point: Hashable {
    let done: [Int]
    let model: Model
  }

  /// Far above what a world of a few dozen calls takes.
  private static let pointsMax = 200_000

  private let history: History
  /// The places of each client's calls.
  private let clients: [[Int]]
  private var seen: Set<Point> = []
  private var order: [Int] = []
  private var furthest: [Int] = []
  private var next: [Failure.Next] = []

  /// The state in which the model is in the end.
  ///
  /// - Throws: ``Failure``.
  static func find(_ history: History) throws(Failure) -> Model {
    var search = OrderSearch(history)
    if let model = search.look(Model(), done: search.clients.map { _ in 0 }) { return model }
    throw Failure(
      history: history, furthest: search.furthest, next: search.next, gaveUp: search.seen.count >= pointsMax)
  }

  private init(_ history: History) {
    self.history = history
    let numbers = Set(history.events.map(\.client)).sorted()
    clients = numbers.map { client in history.events.indices.filter { history.events[$0].client == client } }
  }

  private mutating func look(_ model: Model, done: [Int]) -> Model? {
    let heads = clients.indices.compactMap { client in
      done[client] < clients[client].count ? (client: client, event: clients[client][done[client]]) : nil
    }
    guard let firstEnd = heads.map({ history.events[$0.event].end }).min() else { return model }
    guard seen.count < Self.pointsMax, seen.insert(Point(done: done, model: model)).inserted else { return nil }
    var refused: [Failure.Next] = []
    // Whoever was answered first most likely came first.
    for head in heads.sorted(by: { history.events[$0.event].end < history.events[$1.event].end })
    where history.events[head.event].begin < firstEnd {
      let event = history.events[head.event]
      var after = model
      let answer = after.perform(event.call, answered: event.answer)
      guard answer == event.answer else {
        refused.append(Failure.Next(event: head.event, answer: answer))
        continue
      }
      var done = done
      done[head.client] += 1
      order.append(head.event)
      if let found = look(after, done: done) { return found }
      order.removeLast()
    }
    if order.count >= furthest.count, !refused.isEmpty, order.count > furthest.count || next.isEmpty {
      furthest = order
      next = refused
    }
    return nil
  }
}
