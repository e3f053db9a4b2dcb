import Accounts

/// An address of a provider that the configuration may move elsewhere, for tests and proxies.
public enum Endpoint: String, Hashable, Sendable, CaseIterable {
  case authorize
  case token
  case revoke
  case keys
  case migration
  case userinfo
  case me
  case email

  /// Those that a provider has; a password has none.
  public static func known(of provider: Provider) -> [Endpoint] {
    switch provider {
    case .apple: [.authorize, .token, .revoke, .keys, .migration]
    case .linkedin: [.authorize, .token, .revoke, .keys, .userinfo, .me, .email]
    case .naver: [.authorize, .token, .revoke, .me]
    case .password: []
    }
  }
}
