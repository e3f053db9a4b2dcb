import Accounts
import JSONRPC

/// Wraps records anew under the primary key.
public enum KeyRewrap: Method {
  public static let name: StaticString = "key.rewrap"
  public static let summary: StaticString = "Wraps a batch of records, sealed by former keys, under the primary key."
  public static let description: StaticString = """
    Contents stay as they are. To be called again, with next as after, until there is no next: by any number of callers at \
    once, and from the beginning after it was cut short. A record that cannot be unwrapped is counted as failed, named in \
    the journal and left as it is; one that somebody else is changing is left for the next run.
    """
  /// Nothing that a caller sees, and what was done once is not found again: it needs no request key.
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable, .storageFull]

  public struct Parameters: Shape, Equatable {
    public static let title = "KeyRewrapParameters"

    /// A transaction of so many takes some ten milliseconds.
    public static let limitDefault = 500

    public var limit: Int?
    public var after: ExactText?

    public init() {}

    public init(limit: Int? = nil, after: ExactText? = nil) {
      self.limit = limit
      self.after = after
    }

    /// The limit that holds.
    public var effectiveLimit: Int { limit ?? Self.limitDefault }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("limit", &limit, .range(1...Page.limitMax), "How many records at most; 500 if left out.")
      try visitor.member("after", &after, .place, "Where to go on: the next of the batch before.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "KeyRewrapResult"

    public var rewrapped = 0
    public var failed = 0
    public var remaining = 0
    public var next: ExactText?

    public init() {}

    public init(rewrapped: Int, failed: Int, remaining: Int, next: ExactText?) {
      self.rewrapped = rewrapped
      self.failed = failed
      self.remaining = remaining
      self.next = next
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("rewrapped", &rewrapped, .count, "How many records were wrapped anew.")
      try visitor.member("failed", &failed, .count, "How many could not be unwrapped.")
      try visitor.member(
        "remaining", &remaining, .count,
        "How many records former keys seal now, those that fail included; counted up to 10000.")
      try visitor.member("next", &next, .place, "What to give as after; absent when every record was looked at.")
    }
  }
}
