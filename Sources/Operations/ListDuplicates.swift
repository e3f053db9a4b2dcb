import Accounts
import Postgres
import Store

/// Goes through what users may have in common, kind by kind, and tells who of those who share something are probably one
/// person.
///
/// Nothing is kept between pages: a page reads so many entries of an index and says where the next one begins. A pair
/// stands where it is found first, with all its reasons, and nowhere else. So no pair comes twice, whoever is added
/// meanwhile, and none of two users who stayed as they were from the first page to the last is missing.
public struct ListDuplicates: Sendable {
  /// The one with the smaller id first.
  public struct Couple: Hashable, Sendable {
    let first: UserID
    let second: UserID
  }

  /// Where a page ended.
  public struct Position: Hashable, Sendable {
    let start: FindSharers.Start
    /// The last two who were compared of those who share the key; nil when none were.
    let last: Couple?
  }

  /// Two users who are probably one.
  public struct Pair: Sendable {
    public let first: UserRecord
    public let second: UserRecord
    /// The strongest first.
    public let reasons: [DuplicateReason]
  }

  public struct Page: Sendable {
    public let pairs: [Pair]
    /// Where the next page begins; nil on the last. A page without pairs may have one.
    public let next: ExactText?
    /// How many entries of indexes this page went past.
    public let scanned: Int
    /// About how many entries all pages go past; told on the first, if the database knows.
    public let total: Int?
    /// How many addresses, mailboxes and names were passed over because too many share them.
    public let crowded: Int
  }

  /// To compare so many takes a loop some milliseconds, in which nobody signs in.
  static let couplesMax = 400

  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// One step, and the next while each comes to the end of its kind: so few users are one page.
  ///
  /// - Parameter scoreMin: only pairs that are at least so sure, in hundredths; it ends before the first kind that makes
  ///   nobody so sure.
  public func list(
    page: PageRequest<Position>, scoreMin: Int = 0, include: Set<UserPart> = []
  ) async throws(OperationError) -> Page {
    try await OperationError.translating { () throws(PostgresError) -> Page in
      let total = page.after == nil ? try await entries(scoreMin) : nil
      var position = page.after ?? Position(start: FindSharers.Start(kind: .address), last: nil)
      var (pairs, scanned, crowded): ([Pair], Int, Int) = ([], 0, 0)
      func ended(at next: Position?) -> Page {
        Page(pairs: pairs, next: next?.place, scanned: scanned, total: total, crowded: crowded)
      }
      while position.start.kind.scoreMax >= scoreMin {
        let step = try await step(from: position, atMost: page.limit - pairs.count, scoreMin, include)
        pairs += step.pairs
        scanned += step.end.scanned
        crowded += step.end.crowded
        guard let next = step.end.next, next.start.kind != position.start.kind, pairs.count < page.limit else {
          return ended(at: step.end.next)
        }
        position = next
      }
      return ended(at: nil)
    }
  }

  /// About how many entries are gone past; nil if the database does not know.
  private func entries(_ scoreMin: Int) async throws(PostgresError) -> Int? {
    let kinds = DuplicateKey.Kind.allCases.prefix { $0.scoreMax >= scoreMin }
    let entries = try await reads.rows(EstimateComparedEntries.statement, Array(kinds)).first ?? 0
    return entries > 0 ? entries : nil
  }

  private func step(
    from position: Position, atMost limit: Int, _ scoreMin: Int, _ include: Set<UserPart>
  ) async throws(PostgresError) -> (pairs: [Pair], end: DuplicatePart.End) {
    let rows = try await reads.rows(FindSharers.statement(of: position.start.kind), position.start)
    let part = DuplicatePart(position, rows)
    let (matches, isCut) = try await matches(of: part.candidates, atMost: limit, scoreMin)
    let end = isCut ? matches.last.map { part.end(behind: $0.candidate) } ?? part.end : part.end
    return (try await pairs(of: matches, include), end)
  }

  private typealias Match = (candidate: DuplicatePart.Candidate, reasons: [DuplicateReason])

  /// Those of the candidates who are probably one, and whether there may be more, because they are as many as were asked for.
  private func matches(
    of candidates: [DuplicatePart.Candidate], atMost limit: Int, _ scoreMin: Int
  ) async throws(PostgresError) -> (matches: [Match], isCut: Bool) {
    guard !candidates.isEmpty else { return ([], false) }
    let users = Set(candidates.flatMap { [$0.couple.first, $0.couple.second] })
    let facts = Dictionary(
      try await reads.rows(FindDuplicateFacts.statement, Array(users)), uniquingKeysWith: { first, _ in first })
    let likely = candidates.compactMap {
      candidate -> (candidate: DuplicatePart.Candidate, found: [DuplicateEvidence])? in
      guard let first = facts[candidate.couple.first], let second = facts[candidate.couple.second] else { return nil }
      let found = first.evidence(with: second)
      return found.contains { $0.key == candidate.key } ? (candidate, found) : nil
    }
    let crowded = try await crowded(
      among: likely.flatMap { one in one.found.map(\.key).filter { $0 != one.candidate.key } })
    var matches: [Match] = []
    for (candidate, found) in likely {
      let telling = found.filter { !crowded.contains($0.key) }
      guard telling.lazy.map(\.key).min() == candidate.key, telling.reasons.score >= scoreMin else { continue }
      matches.append((candidate, telling.reasons))
      if matches.count == limit { return (matches, true) }
    }
    return (matches, false)
  }

  /// Which of some keys say nothing, because too many users share them.
  private func crowded(among keys: [DuplicateKey]) async throws(PostgresError) -> Set<DuplicateKey> {
    let keys = Array(Set(keys))
    guard !keys.isEmpty else { return [] }
    let indices = try await reads.rows(FindCrowdedKeys.statement, keys)
    return Set(indices.filter { keys.indices.contains($0) }.map { keys[$0] })
  }

  private func pairs(of matches: [Match], _ include: Set<UserPart>) async throws(PostgresError) -> [Pair] {
    guard !matches.isEmpty else { return [] }
    let ids = Set(matches.flatMap { [$0.candidate.couple.first, $0.candidate.couple.second] })
    let users = try await reads.rows(FindComparedUsers.statement, Array(ids))
    let details = try await UserDetails.load(include, of: users, from: reads)
    let records = Dictionary(
      users.indices.map { index in
        (
          users[index].user,
          UserRecord(user: users[index].user, status: users[index].status, details: details?[index])
        )
      }, uniquingKeysWith: { first, _ in first })
    return matches.compactMap { match in
      guard let first = records[match.candidate.couple.first], let second = records[match.candidate.couple.second]
      else {
        return nil
      }
      return Pair(first: first, second: second, reasons: match.reasons)
    }
  }
}
