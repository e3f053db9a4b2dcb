/// Who proves that a person is who they say.
public enum Provider: String, Hashable, Sendable, CaseIterable {
  case apple
  case linkedin
  case naver
  case password

  /// Whether the provider's word that an address is verified counts, unless the configuration says otherwise.
  ///
  /// Apple and LinkedIn verify addresses. Naver's is a contact address that the person may change at will, and a
  /// password proves no address at all.
  public var trustsEmailByDefault: Bool {
    switch self {
    case .apple, .linkedin: true
    case .naver, .password: false
    }
  }
}
