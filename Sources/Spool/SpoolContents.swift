/// What was found in one file of the spool.
public struct SpoolContents: Sendable {
  /// What is to be delivered, in the order in which it was written.
  public internal(set) var entries: [SpoolEntry] = []
  /// How many entries have expired; nobody sees them any more.
  public internal(set) var expired = 0
  /// What cannot be used, to be told.
  public var problems: [SpoolProblem] = []
}
