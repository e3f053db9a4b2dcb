import Postgres

/// Does nothing, to see whether the database answers.
public enum Ping {
  public static let statement = Statement<Void, Void>("ping", "select", encode: { _, _ in })
}
