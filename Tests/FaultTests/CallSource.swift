import TestSupport

/// What several clients call one after the other, and where their answers go.
protocol CallSource: Sendable {
  var answers: AnswerCount { get }
  /// Whether a client that is refused calls no more.
  var stopsWhenRefused: Bool { get }

  /// A call that has not been made; it is written down before it is sent.
  func nextCall() -> (number: Int, call: KeyedCall)

  func note(_ answer: WireAnswer, to number: Int)
}
