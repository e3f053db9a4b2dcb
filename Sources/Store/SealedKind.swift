/// The tables that have sealed rows, in the order in which they are wrapped anew. The letters are told to callers as part of
/// a place.
public enum SealedKind: String, Hashable, Sendable, CaseIterable {
  case registration = "r"
  case credential = "c"
  case keptAnswer = "a"
}
