/// Everything found wrong with a configuration, in the order of its lines. Never empty.
public struct ConfigurationError: Error, Hashable, Sendable {
  public let problems: [ConfigurationProblem]
}

extension ConfigurationError: CustomStringConvertible {
  /// One problem a line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
