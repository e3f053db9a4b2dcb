/// The calls of one world, each with when it began and when its answer was there.
struct History: Sendable {
  struct Event: Sendable {
    let client: Int
    /// Places in one order of all beginnings and ends.
    let begin: Int
    let end: Int
    let call: Call
    let answer: Answer

    init(client: Int, begin: Int, end: Int, _ call: Call, _ answer: Answer) {
      self.client = client
      self.begin = begin
      self.end = end
      self.call = call
      self.answer = answer
    }
  }

  /// In the order in which they began.
  let events: [Event]

  init(_ events: [Event]) { self.events = events.sorted { $0.begin < $1.begin } }

  /// A table that a person can read, a call a line.
  var table: String {
    let rows =
      [["", "client", "time", "call", "answer"]]
      + events.enumerated().map { number, event in
        ["\(number + 1)", "\(event.client)", "\(event.begin)-\(event.end)", "\(event.call)", "\(event.answer)"]
      }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        column == 4 ? text : text + String(repeating: " ", count: widths[column] - text.count)
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
