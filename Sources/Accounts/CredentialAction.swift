/// What made a version of a credential.
public enum CredentialAction: String, Hashable, Sendable, CaseIterable {
  case add
  case update
  case delete
  /// Its time was over.
  case expire
}
