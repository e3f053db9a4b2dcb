import JSON

/// Gathers the answers of one batch, in whatever order they come, into the one line that answers it.
public struct BatchAnswers {
  /// How many answers are still to come.
  public private(set) var outstanding = 0
  private var writer = JSONWriter()
  private var hasAnswers = false

  public init() {
    writer.beginArray()
  }

  /// How many bytes are gathered: they count as queued for the one who reads.
  public var byteCount: Int { writer.count }

  /// Notes that one more answer will come.
  public mutating func expectAnswer() {
    outstanding += 1
  }

  /// Takes one answer, which `write` writes.
  public mutating func add(_ write: (inout JSONWriter) -> Void) {
    write(&writer)
    hasAnswers = true
    outstanding -= 1
  }

  /// What is gathered so far, for a line that leaves in parts.
  public mutating func takePart() -> [UInt8] { writer.takePart() }

  /// The rest of the line with its end, or nil where nothing is to be answered because all were notifications.
  public mutating func finish() -> [UInt8]? {
    writer.endArray()
    writer.endLine()
    return hasAnswers ? writer.take() : nil
  }
}
