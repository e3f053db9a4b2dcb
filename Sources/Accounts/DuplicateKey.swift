/// What users have in common and are found by, to see whether they are one person.
public struct DuplicateKey: Hashable, Sendable {
  /// In the order in which a list goes through them: roughly what tells most first.
  public enum Kind: Int, CaseIterable, Sendable {
    case address = 1
    case mailbox
    case nameAndBirthday
    case name
  }

  public let kind: Kind
  /// An address or mailbox in canonical form, a ``MatchName/key``, or `MM-DD` and a name's key with a space between them.
  public let text: ExactText

  public init(_ kind: Kind, _ text: ExactText) {
    self.kind = kind
    self.text = text
  }
}

extension DuplicateKey: Comparable {
  public static func < (left: DuplicateKey, right: DuplicateKey) -> Bool {
    left.kind == right.kind ? left.text < right.text : left.kind.rawValue < right.kind.rawValue
  }
}

/// One thing that two users have in common, and why that makes them probably one person.
public struct DuplicateEvidence: Hashable, Sendable {
  public let key: DuplicateKey
  public let reason: DuplicateReason

  public init(_ reason: DuplicateReason, _ kind: DuplicateKey.Kind, _ text: ExactText) {
    key = DuplicateKey(kind, text)
    self.reason = reason
  }
}

extension [DuplicateEvidence] {
  /// Each reason once, the strongest first.
  public var reasons: [DuplicateReason] { Set(map(\.reason)).sorted { $0.score > $1.score } }
}
