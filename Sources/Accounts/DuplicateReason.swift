/// Why two users are probably one person.
public enum DuplicateReason: Hashable, Sendable {
  /// Both hold or claim one address.
  case sameAddress
  /// Addresses that lead to one mailbox.
  case sameMailbox
  /// The same name, and one of them hides the address that the other shows.
  case relayAndRealAddress
  case sameNameAndBirthday(isYearKnown: Bool)
  /// A name in Hangul, and the same in Latin letters.
  case sameNameTransliterated

  /// How sure it alone makes, in hundredths.
  public var score: Int {
    switch self {
    case .sameAddress: 90
    case .sameNameAndBirthday(isYearKnown: true): 85
    case .sameMailbox: 80
    case .sameNameAndBirthday(isYearKnown: false): 60
    case .relayAndRealAddress: 50
    case .sameNameTransliterated: 30
    }
  }
}

extension DuplicateKey.Kind {
  /// How sure all that is told at a key of this kind, and at those that come after it, can make at most, in hundredths.
  public var scoreMax: Int {
    let byName: [DuplicateReason] = [.relayAndRealAddress, .sameNameTransliterated]
    switch self {
    case .address, .mailbox: return [DuplicateReason].scoreMax
    case .nameAndBirthday: return ([.sameNameAndBirthday(isYearKnown: true)] + byName).score
    case .name: return byName.score
    }
  }
}

/// What is known of a user when they are compared with another.
public struct DuplicateFacts: Sendable {
  private let name: MatchName?
  private let birthday: Birthday?
  private let addresses: Set<ExactText>
  /// The addresses by the mailbox that they lead to.
  private let mailboxes: [Mailbox: [ExactText]]
  private let hidesAddress: Bool
  private let showsAddress: Bool

  /// - Parameter addresses: all of them, verified or claimed, in canonical form.
  public init(name: MatchName?, birthday: Birthday?, addresses: [ExactText]) {
    self.name = name
    self.birthday = birthday
    self.addresses = Set(addresses)
    mailboxes = Dictionary(grouping: addresses) { Mailbox(ofCanonical: $0) }
    showsAddress = addresses.contains { !Mailbox.isRelay(canonical: $0) }
    hidesAddress = !addresses.isEmpty && !showsAddress
  }

  /// What says that the two are probably one; nothing when they have nothing in common that does.
  public func evidence(with other: DuplicateFacts) -> [DuplicateEvidence] {
    addressEvidence(with: other) + nameEvidence(with: other)
  }

  private func addressEvidence(with other: DuplicateFacts) -> [DuplicateEvidence] {
    let shared = addresses.intersection(other.addresses)
    // One address that both have is told once.
    let sharedMailboxes = mailboxes.filter { mailbox, own in
      other.mailboxes[mailbox].map { others in
        [own, others].allSatisfy { $0.contains { !shared.contains($0) } }
      } ?? false
    }
    return shared.map { DuplicateEvidence(.sameAddress, .address, $0) }
      + sharedMailboxes.keys.map { DuplicateEvidence(.sameMailbox, .mailbox, $0.address) }
  }

  private func nameEvidence(with other: DuplicateFacts) -> [DuplicateEvidence] {
    guard let name, let otherName = other.name, let likeness = name.likeness(to: otherName) else { return [] }
    var evidence: [DuplicateEvidence] = []
    if let birthday, let isYearKnown = birthday.isYearKnown(sharedWith: other.birthday) {
      evidence.append(
        DuplicateEvidence(
          .sameNameAndBirthday(isYearKnown: isYearKnown), .nameAndBirthday,
          ExactText("\(birthday.storedDay) \(name.key)")))
    }
    if (hidesAddress && other.showsAddress) || (showsAddress && other.hidesAddress) {
      evidence.append(DuplicateEvidence(.relayAndRealAddress, .name, name.key))
    }
    if likeness == .transliterated { evidence.append(DuplicateEvidence(.sameNameTransliterated, .name, name.key)) }
    return evidence
  }
}

extension [DuplicateReason] {
  /// What each further reason adds to the strongest, in hundredths.
  private static let scoreOfFurther = 5
  /// Only the person knows for certain.
  fileprivate static let scoreMax = 99

  /// How sure all together make, in hundredths: 0-99.
  public var score: Int {
    guard let strongest = self.map(\.score).max() else { return 0 }
    return Swift.min(strongest + (count - 1) * Self.scoreOfFurther, Self.scoreMax)
  }
}
