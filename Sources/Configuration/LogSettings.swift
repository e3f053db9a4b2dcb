/// What the daemon tells of itself, and in which form.
public struct LogSettings: Hashable, Sendable {
  /// The least serious level that is told.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    case debug
    case info
    case warning
    case error
  }

  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Lines with a priority prefix, for a service whose output systemd reads.
    case journal
    /// One JSON object a line.
    case json
    /// Lines for people.
    case text
  }

  public let level: Level
  public let format: Format

  public init(level: Level = .info, format: Format) {
    self.level = level
    self.format = format
  }

  /// The journal's form when the output goes there, text otherwise.
  init(in surroundings: Surroundings) {
    self.init(format: surroundings.environment["JOURNAL_STREAM"] == nil ? .text : .journal)
  }
}

extension LogSettings {
  init?(reading reader: ValueReader) {
    guard let members = reader.members(["level", "format"]) else { return nil }
    let byDefault = LogSettings(in: reader.surroundings)
    self.init(
      level: members["level"]?.choice(Level.self) ?? byDefault.level,
      format: members["format"]?.choice(Format.self) ?? byDefault.format)
  }
}
