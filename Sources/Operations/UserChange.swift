import Accounts
import Postgres
import Store

/// What a decision about one locked user comes to.
enum UserChange<Result: Sendable> {
  /// Everything is so already: nothing is written, told or kept.
  case none(Result)
  /// The statements that change it, and what is told of it.
  case some(Result, Pipeline, Event, AppendAudit.Record)
}
