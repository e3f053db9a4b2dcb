/// Where a credential is kept: at most one has the same access group, account and service.
public struct CredentialPlace: Hashable, Sendable {
  /// What each of the three may have, and none has less than one.
  public static let bytesMax = 255

  /// Who may see it: callers are allowed groups by the configuration.
  public let accessGroup: ExactText
  public let account: ExactText
  public let service: ExactText

  public init(accessGroup: ExactText, account: ExactText, service: ExactText) {
    self.accessGroup = accessGroup
    self.account = account
    self.service = service
  }
}

extension CredentialPlace: Comparable {
  /// The order of lists: by access group, then account, then service, each by its bytes.
  public static func < (left: CredentialPlace, right: CredentialPlace) -> Bool {
    (left.accessGroup, left.account, left.service) < (right.accessGroup, right.account, right.service)
  }
}
