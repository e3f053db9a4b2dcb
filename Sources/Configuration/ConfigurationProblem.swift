/// One thing wrong with the configuration, told so that it can be found and put right.
public struct ConfigurationProblem: Hashable, Sendable {
  /// The file it stands in, as it was named.
  public let file: String
  /// Counted from 1; nil when the trouble is the file itself.
  public let line: Int?
  /// The key, such as `callers[1].methods`; empty when the trouble is no single key's.
  public let path: String
  /// A sentence without its full stop.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// Whether it is only that the process was given no credentials; the daemon's unit gives it some.
  public var isWithoutCredentials = false
}

extension ConfigurationProblem: CustomStringConvertible {
  /// `kith.json5:12: limits.frame_byte: unknown key (did you mean "frame_bytes"?)`
  public var description: String {
    var text = file
    if let line { text += ":\(line)" }
    if !path.isEmpty { text += ": \(path)" }
    text += ": \(message)"
    if let hint { text += " (\(hint))" }
    return text
  }
}
