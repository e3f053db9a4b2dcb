/// What an error says beyond its reason: members of `data` on the wire.
public enum ErrorDetail: Equatable, Sendable {
  /// `path`: which parameter, from `params` on, as in `params.profile.name.given` or `params.items[3].id`.
  case path(String)
  /// `problem`: what is wrong with that parameter.
  case problem(ParameterProblem)
  /// `limit` and `max`: which limit was exceeded and how high it is.
  case limit(LimitName, max: Int)
  /// `retry_after_ms`: how long to wait before the next attempt.
  case retryAfter(milliseconds: Int)
  /// `user_id`: the user to whom something belongs; only for callers allowed to see it.
  case userID(String)
  /// `later_merge_id`: the merge that stands in the way.
  case laterMergeID(String)
  /// `cursor`: where in the events to go on.
  case cursor(String)
  /// `kept`: whether what the call brought is kept until it can be written.
  case kept(Bool)
}
