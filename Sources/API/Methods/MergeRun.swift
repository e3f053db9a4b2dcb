import Accounts
import JSONRPC

/// Makes one user of two.
public enum MergeRun: Method {
  public static let name: StaticString = "merge.run"
  public static let summary: StaticString = "Makes one user of two, exactly as a plan says."
  public static let description: StaticString = """
    What the absorbed user has comes to the survivor, and their id leads there. A plan is carried out once: with the same
    token again the answer is the same merge, as it stands.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.planStale, .tooMany, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "MergeRunParameters"

    public var planToken: ExactText = ""
    public var reason: ExactText = ""

    public init() {}

    public init(planToken: ExactText, reason: ExactText) {
      self.planToken = planToken
      self.reason = reason
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("plan_token", &planToken, .planToken, "The plan, from merge.plan.")
      try visitor.member("reason", &reason, .reason, "Why; kept with the merge and in the audit.")
    }
  }

  public typealias Result = MergeShape
}
