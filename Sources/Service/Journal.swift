import Accounts
import Configuration
import Synchronization

/// Where the daemon tells what happens to it: lines on standard error, which nobody who tells something waits for.
///
/// Values are ids, numbers and texts of our own; secrets have types that print as `<redacted>`.
public final class Journal: Sendable {
  public typealias Level = LogSettings.Level

  private let settings: Mutex<LogSettings>
  private let output: LineOutput
  private let isReadByJournal: Bool
  private let now: @Sendable () -> Timestamp

  /// - Parameter isRead: whether `output` leads to systemd's journal. If not, what is configured for the journal is told as
  ///   text, so that whoever starts the daemon by hand reads lines and not marks.
  public init(
    _ settings: LogSettings, to output: LineOutput, isReadByJournal isRead: Bool,
    now: @escaping @Sendable () -> Timestamp
  ) {
    isReadByJournal = isRead
    self.settings = Mutex(settings)
    self.output = output
    self.now = now
  }

  /// Tells by other settings from now on.
  public func change(to settings: LogSettings) {
    self.settings.withLock { $0 = settings }
  }

  public func write(_ level: Level, _ message: String, requestID: String? = nil) {
    let settings = settings.withLock { $0 }
    guard level.severity <= settings.level.severity else { return }
    let format = settings.format == .journal && !isReadByJournal ? .text : settings.format
    output.write(Self.line(level, message, requestID, at: now(), format)) { [now] dropped in
      let words = "dropped \(dropped) lines of this journal: whoever reads it was too slow"
      return Self.line(.warning, words, nil, at: now(), format)
    }
  }

  private static func line(
    _ level: Level, _ message: String, _ requestID: String?, at time: Timestamp, _ format: LogSettings.Format
  ) -> String {
    let text = oneLine(message)
    switch format {
    case .journal:
      return "<\(level.severity)>\(text)" + (requestID.map { " request_id=\($0)" } ?? "") + "\n"
    case .text:
      return "kithd: " + (level == .info ? "" : "\(level.rawValue): ") + text
        + (requestID.map { " (request \($0))" } ?? "") + "\n"
    case .json:
      return JournalEntry(at: time, level: level, message: text, requestID: requestID).json
    }
  }

  /// A message may quote what PostgreSQL said, and that may have lines.
  private static func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

extension LogSettings.Level {
  /// The number syslog gives the level (RFC 5424).
  fileprivate var severity: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }
}
