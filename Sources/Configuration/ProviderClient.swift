import Accounts

/// How we make ourselves known to a provider.
///
/// What is missing here is missed when a method needs it; a backend that verifies people itself needs none of it.
public enum ProviderClient: Equatable, Sendable {
  /// A team's apps and websites, and the key that signs for them.
  case apple(clientIDs: [ExactText], signingKey: AppleSigningKey?)
  /// One client application; its id is the namespace's tenant.
  case application(secret: Secret?)
  /// Nobody has to be asked.
  case password
}

/// The key that Apple gave a team, with the id it goes by.
public struct AppleSigningKey: Equatable, Sendable {
  public let id: ExactText
  /// PEM.
  public let privateKey: Secret
}
