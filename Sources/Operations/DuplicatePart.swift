import Accounts
import Store

/// What one page of ``ListDuplicates`` has read: who is to be compared, and where the page ends.
struct DuplicatePart {
  typealias Position = ListDuplicates.Position
  typealias Couple = ListDuplicates.Couple

  /// Two who share a key.
  struct Candidate {
    let couple: Couple
    let key: DuplicateKey
    /// How many entries of the page come before the key.
    let place: Int
  }

  /// Where the page ends, and what it went past until there.
  struct End {
    let next: Position?
    let scanned: Int
    let crowded: Int
  }

  /// In the order of their keys; as many as are compared at once.
  private(set) var candidates: [Candidate] = []
  /// Where the page ends when all of them were compared.
  private(set) var end = End(next: nil, scanned: 0, crowded: 0)
  /// How many entries of the page come before each key that too many share.
  private var crowdedPlaces: [Int] = []

  init(_ position: Position, _ rows: [FindSharers.Row]) {
    let kind = position.start.kind
    var isCut = false
    for row in rows {
      switch row {
      case .crowded(let place): crowdedPlaces.append(place)
      case .shared where isCut: break
      case .shared(let text, let users, let place):
        let key = DuplicateKey(kind, text)
        // Only the first key may have been begun by the page before.
        let last = text == position.start.text ? position.last : nil
        for couple in Self.couples(of: users, behind: last) where !isCut {
          if candidates.count < ListDuplicates.couplesMax {
            candidates.append(Candidate(couple: couple, key: key, place: place))
          } else {
            isCut = true
          }
        }
      case .end(let entries, let next):
        let following = next.map { FindSharers.Start(kind: kind, text: $0.text, isBehind: $0.isBehind) } ?? kind.next
        end = End(
          next: following.map { Position(start: $0, last: nil) }, scanned: entries, crowded: crowdedPlaces.count)
      }
    }
    if isCut, let last = candidates.last { end = end(behind: last) }
  }

  /// Where the page ends when these were the last who were compared.
  func end(behind candidate: Candidate) -> End {
    End(
      next: Position(
        start: FindSharers.Start(
          kind: candidate.key.kind, text: candidate.key.text, isBehind: false, isAmongPairs: true),
        last: candidate.couple),
      scanned: candidate.place, crowded: crowdedPlaces.count { $0 < candidate.place })
  }

  private static func couples(of users: [UserID], behind last: Couple?) -> [Couple] {
    let users = users.sorted()
    return users.indices.flatMap { first in
      users[(first + 1)...].map { Couple(first: users[first], second: $0) }
    }.filter { couple in
      last.map { ($0.first, $0.second) < (couple.first, couple.second) } ?? true
    }
  }
}

extension DuplicateKey.Kind {
  /// Where the kind after this one begins; nil after the last.
  fileprivate var next: FindSharers.Start? {
    DuplicateKey.Kind(rawValue: rawValue + 1).map { FindSharers.Start(kind: $0) }
  }
}

extension ListDuplicates.Position: ListKey {
  private static let behindMark = ">"
  private static let atMark = "="

  /// The number of the kind, and the key after `>`; or the two who were compared last, and the key after `=`.
  public init?(place: ExactText) {
    var text = place.string[...]
    guard let number = text.popFirst()?.wholeNumberValue, let kind = DuplicateKey.Kind(rawValue: number),
      let mark = text.firstIndex(where: { Self.behindMark.contains($0) || Self.atMark.contains($0) })
    else { return nil }
    let isBehind = Self.behindMark.contains(text[mark])
    let key = ExactText(String(text[text.index(after: mark)...]))
    let ids = text[..<mark].split(separator: ".", omittingEmptySubsequences: false).map { UserID(String($0)) }
    switch (ids.count, text.startIndex == mark) {
    case (_, true): last = nil
    case (2, false):
      guard !isBehind, let first = ids[0], let second = ids[1], first < second else { return nil }
      last = ListDuplicates.Couple(first: first, second: second)
    default: return nil
    }
    start = FindSharers.Start(kind: kind, text: key, isBehind: isBehind, isAmongPairs: last != nil)
    guard self.place == place else { return nil }
  }

  public var place: ExactText {
    let couple = last.map { "\($0.first).\($0.second)" } ?? ""
    return ExactText("\(start.kind.rawValue)\(couple)\(start.isBehind ? Self.behindMark : Self.atMark)\(start.text)")
  }
}
