import Accounts

/// An identity's key as the database keeps it: the namespace by number.
public struct StoredKey: Hashable, Sendable {
  public let namespace: Int32
  public let subject: ExactText

  public init(namespace: Int32, subject: Subject) {
    self.namespace = namespace
    self.subject = subject.text
  }
}
