import Accounts
import JSON
import Postgres
import Store

/// Looks at the audit trail, and whether it is whole.
public struct InspectAudit: Sendable {
  /// What came of reading the chain.
  public struct Verdict: Sendable {
    public var checked = 0
    /// The first place that is changed, missing or put in.
    public var firstBad: Int?
    /// Where to go on; nil at the end, and at the first bad place.
    public var next: VerifyAudit.Position?
  }

  /// So many rows take PostgreSQL some fifty milliseconds; between two batches others have their turn.
  private static let batchRowsMax = 2000

  private let reads: Pool

  public init(reads: Pool) {
    self.reads = reads
  }

  /// What was done, the newest first.
  ///
  /// - Parameter user: only what concerns them, or somebody who was merged into them.
  public func list(
    of user: UserID?, page: PageRequest<ReadAudit.Position>
  ) async throws(OperationError) -> ListPage<ReadAudit.Record> {
    let question = ReadAudit.Page(user: user, before: page.after, limit: page.probeLimit)
    let statement = user == nil ? ReadAudit.newest : ReadAudit.newestOfUser
    return try await OperationError.translating { () throws(PostgresError) in
      ListPage(try await reads.rows(statement, question), page) { $0.position.place }
    }
  }

  /// Reads the chain of hashes batch by batch, up to the first place that does not fit.
  ///
  /// - Parameters:
  ///   - after: where to go on; nil for the beginning.
  ///   - limit: rows at most; nil for all.
  public func verify(
    after: VerifyAudit.Position?, limit: Int?
  ) async throws(OperationError) -> Verdict {
    try await OperationError.translating { () throws(PostgresError) in
      var verdict = Verdict(next: after)
      while limit.map({ verdict.checked < $0 }) ?? true {
        let rows = min(Self.batchRowsMax, limit.map { $0 - verdict.checked } ?? .max)
        let part = VerifyAudit.Part(after: verdict.next, limit: Int32(clamping: rows))
        guard let found = try await reads.rows(VerifyAudit.statement, part).first else { break }
        verdict.checked += found.checked
        verdict.firstBad = found.firstBad.map { Int($0) }
        verdict.next = found.isEnd || found.firstBad != nil ? nil : found.next
        if verdict.next == nil { break }
      }
      return verdict
    }
  }
}

extension ReadAudit.Position: ListKey {
  public init?(place: ExactText) {
    guard let number = Int64(place.string), number > 0 else { return nil }
    self.init(number: number)
    guard self.place == place else { return nil }
  }

  public var place: ExactText { ExactText("\(number)") }
}

extension VerifyAudit.Position: ListKey {
  private static let hashBytes = 32

  /// The number, and the hash in base64.
  public init?(place: ExactText) {
    let parts = place.string.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let number = Int64(parts[0]), number >= 0 else { return nil }
    var text = parts[1]
    let hash: [UInt8]? = text.withUTF8 { utf8 in
      let text = UnsafeRawBufferPointer(utf8)
      guard Base64.byteCount(of: text) == Self.hashBytes else { return nil }
      var hash = [UInt8](repeating: 0, count: Self.hashBytes)
      let isRight = hash.withUnsafeMutableBytes { Base64.decode(text, into: $0) }
      return isRight ? hash : nil
    }
    guard let hash else { return nil }
    self.init(number: number, hash: hash)
    guard self.place == place else { return nil }
  }

  public var place: ExactText {
    var text = [UInt8](repeating: 0, count: Base64.textBytes(for: hash.count))
    hash.withUnsafeBytes { hash in text.withUnsafeMutableBytes { Base64.encode(hash, into: $0) } }
    return ExactText("\(number).\(String(decoding: text, as: UTF8.self))")
  }
}
