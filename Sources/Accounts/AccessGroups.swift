/// Which access groups of credentials a caller may see and write to.
public struct AccessGroups: Hashable, Sendable {
  /// What Kith keeps for itself, as the tokens of providers, begins so. It is allowed by name only.
  public static let ownPrefix: StaticString = "kith."

  /// Whether all are allowed but Kith's own.
  public let hasAll: Bool
  /// Those that are allowed by name.
  public let named: [ExactText]

  /// - Parameter entries: of the configuration; `*` stands for all but Kith's own.
  public init(_ entries: [ExactText]) {
    hasAll = entries.contains("*")
    named = entries.filter { $0 != "*" }
  }

  public func contains(_ group: ExactText) -> Bool {
    named.contains(group) || (hasAll && !group.string.utf8.starts(with: "\(Self.ownPrefix)".utf8))
  }
}
