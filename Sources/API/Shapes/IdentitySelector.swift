import Accounts

/// Names an identity by its provider: members that several methods take.
public struct IdentitySelector: Equatable, Sendable {
  public var provider: ExactText
  public var tenant: ExactText?
  public var subject: ExactText

  public init(provider: ExactText, tenant: ExactText? = nil, subject: ExactText) {
    self.provider = provider
    self.tenant = tenant
    self.subject = subject
  }

  /// - Returns: nil unless both the provider and the subject are given.
  init?(provider: ExactText?, tenant: ExactText?, subject: ExactText?) {
    guard let provider, let subject else { return nil }
    self.init(provider: provider, tenant: tenant, subject: subject)
  }
}
