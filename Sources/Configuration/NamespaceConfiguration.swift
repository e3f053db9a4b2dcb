import Accounts

/// Everything the configuration says of one namespace.
public struct NamespaceConfiguration: Equatable, Sendable {
  public let settings: NamespaceSettings
  public let client: ProviderClient
  /// Where a person may be sent back to; compared byte for byte.
  public let redirectURIs: [ExactText]
  /// Whether a token whose nonce the caller did not name is refused.
  public let requiresNonce: Bool
  /// Absolute URLs; those not named are the provider's own.
  public let endpoints: [Endpoint: ExactText]

  public var namespace: Namespace { settings.namespace }

  init(
    settings: NamespaceSettings, client: ProviderClient, redirectURIs: [ExactText] = [], requiresNonce: Bool = false,
    endpoints: [Endpoint: ExactText] = [:]
  ) {
    self.settings = settings
    self.client = client
    self.redirectURIs = redirectURIs
    self.requiresNonce = requiresNonce
    self.endpoints = endpoints
  }
}

extension NamespaceConfiguration {
  init?(reading reader: ValueReader) {
    // Which keys may stand here depends on the provider, so that is read before the others are looked at.
    guard let provider = reader.requiredMember("provider")?.choice(Provider.self),
      let members = reader.members(Self.keys(of: provider))
    else { return nil }
    let tenant = members.required("tenant")?.tenant(of: provider)
    let client = ProviderClient(reading: members, provider: provider)
    let redirectURIs = members["redirect_uris"]?.items { $0.redirectURI() } ?? []
    let requiresNonce = members["require_nonce"]?.flag() ?? false
    let endpoints = members["endpoints"]?.endpoints(of: provider) ?? [:]
    let trustsEmail = members["trust_email"]?.flag()
    guard let tenant else { return nil }
    self.init(
      settings: NamespaceSettings(tenant, trustsEmail: trustsEmail), client: client, redirectURIs: redirectURIs,
      requiresNonce: requiresNonce, endpoints: endpoints)
  }

  private static func keys(of provider: Provider) -> [String] {
    let every = ["provider", "tenant", "trust_email"]
    return switch provider {
    case .apple: every + ["client_ids", "key_id", "private_key", "redirect_uris", "require_nonce", "endpoints"]
    case .linkedin: every + ["client_secret", "redirect_uris", "require_nonce", "endpoints"]
    case .naver: every + ["client_secret", "redirect_uris", "endpoints"]
    case .password: every
    }
  }
}

extension ProviderClient {
  fileprivate init(reading members: MemberReader, provider: Provider) {
    switch provider {
    case .apple:
      self = .apple(
        clientIDs: members["client_ids"]?.items { $0.exactText() } ?? [],
        signingKey: AppleSigningKey(reading: members))
    case .linkedin, .naver: self = .application(secret: members["client_secret"]?.secret())
    case .password: self = .password
    }
  }
}

extension AppleSigningKey {
  /// The key and its id are of no use without each other.
  fileprivate init?(reading members: MemberReader) {
    guard members["key_id"] != nil || members["private_key"] != nil else { return nil }
    let id = members.required("key_id")?.text()
    let privateKey = members.required("private_key")?.secret()
    guard let id, let privateKey else { return nil }
    self.init(id: ExactText(id), privateKey: privateKey)
  }
}

extension ValueReader {
  fileprivate func tenant(of provider: Provider) -> Namespace? {
    guard let text = text() else { return nil }
    guard let namespace = Namespace(provider, tenant: ExactText(text)) else {
      report("must have 1 to \(Namespace.tenantBytesMax) bytes")
      return nil
    }
    return namespace
  }

  fileprivate func redirectURI() -> ExactText? {
    guard let text = text() else { return nil }
    if let problem = WebAddress.problem(ofRedirectURI: text) {
      report(problem)
      return nil
    }
    return ExactText(text)
  }

  fileprivate func endpoints(of provider: Provider) -> [Endpoint: ExactText]? {
    let known = Endpoint.known(of: provider)
    guard let members = members(known.map(\.rawValue)) else { return nil }
    return known.reduce(into: [:]) { endpoints, endpoint in
      guard let reader = members[endpoint.rawValue], let text = reader.text() else { return }
      if let problem = WebAddress.problem(ofEndpoint: text) {
        reader.report(problem)
      } else {
        endpoints[endpoint] = ExactText(text)
      }
    }
  }
}
