import Accounts
import JSONRPC

/// Makes two users again of those whom a merge made one.
public enum MergeUndo: Method {
  public static let name: StaticString = "merge.undo"
  public static let summary: StaticString = "Undoes a merge."
  public static let description: StaticString = """
    What came with the merge and is still there goes back; what came later stays with the survivor. What was unlinked or removed
    meanwhile stays so, from whose it was. Merges are undone in the reverse order of their users; one that is undone already
    gives the same answer.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [
    .notFound, .userErased, .mergeSuperseded, .lastSignInMethod, .tooMany, .databaseUnavailable,
  ]

  public struct Parameters: Shape, Equatable {
    public static let title = "MergeUndoParameters"

    public var mergeID = MergeID.unset
    public var reason: ExactText = ""

    public init() {}

    public init(mergeID: MergeID, reason: ExactText) {
      self.mergeID = mergeID
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("merge_id", &mergeID, "Which merge.")
      try visitor.member("reason", &reason, .reason, "Why; kept with the merge and in the audit.")
    }
  }

  public typealias Result = MergeShape
}
