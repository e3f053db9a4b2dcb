import Accounts
import JSONRPC

/// Checks that the audit trail is whole.
public enum AuditVerify: Method {
  public static let name: StaticString = "audit.verify"
  public static let summary: StaticString = "Checks that nothing in the audit trail was changed, removed or put in."
  public static let description: StaticString = """
    Reads the chain of hashes from the first row to the end that is kept apart, or to the first place that does not fit. \
    Some 20,000 rows a second; with limit it can be done part by part, each time with next as after.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "AuditVerifyParameters"

    public static let limitMax = 100_000

    public var limit: Int?
    public var after: ExactText?

    public init() {}

    public init(limit: Int? = nil, after: ExactText? = nil) {
      self.limit = limit
      self.after = after
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("limit", &limit, .range(1...Self.limitMax), "How many rows at most; all if left out.")
      try visitor.member("after", &after, .place, "Where to go on: the next of the part before.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "AuditVerifyResult"

    public var ok = false
    public var checked = 0
    public var firstBad: Int?
    public var next: ExactText?

    public init() {}

    public init(ok: Bool, checked: Int, firstBad: Int? = nil, next: ExactText? = nil) {
      self.ok = ok
      self.checked = checked
      self.firstBad = firstBad
      self.next = next
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("ok", &ok, "Whether everything that was read fits.")
      try visitor.member("checked", &checked, .count, "How many rows were read.")
      try visitor.member(
        "first_bad", &firstBad, .range(1...Int.max), "The first place that is changed, missing or put in; else absent.")
      try visitor.member("next", &next, .place, "What to give as after; absent when all was read.")
    }
  }
}
