/// Whether the database answers.
public enum DatabaseState: String, WireWord {
  case up
  case down
}
