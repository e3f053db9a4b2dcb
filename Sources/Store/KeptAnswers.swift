import Accounts
import Crypto
import Postgres
import Vault

/// Which call a kept answer belongs to: the same caller, method and key.
public struct RequestKey: Hashable, Sendable {
  public let caller: CallerName
  public let method: ExactText
  public let key: ExactText
  /// SHA-256 of the parameters in canonical form, keyed where they hold what is stored sealed.
  public let parametersDigest: [UInt8]
  /// What the digest of the same parameters was with former keys, for a repeat after another key was promoted.
  public let formerDigests: [[UInt8]]

  public init(
    caller: CallerName, method: ExactText, key: ExactText, parametersDigest: [UInt8], formerDigests: [[UInt8]] = []
  ) {
    self.caller = caller
    self.method = method
    self.key = key
    self.parametersDigest = parametersDigest
    self.formerDigests = formerDigests
  }

  /// Whether a call with this digest had the same parameters.
  public func matches(_ digest: [UInt8]) -> Bool { parametersDigest == digest || formerDigests.contains(digest) }

  /// Held by whoever runs the call, so that its repeat meanwhile is told `in_progress`.
  public var lock: AdvisoryLock {
    .requestKey(caller: caller.text, method: method, key: key)
  }
}

/// Answers of calls that changed something, kept in the transaction of the change.
public enum KeptAnswers {
  public struct Found: Sendable {
    public let position: Int
    public let parametersDigest: [UInt8]
    let text: Text

    /// What the journal calls it; an answer that is kept in clear has no id.
    public var journalName: String {
      if case .sealed(_, let recordID) = text { "kept answer \(recordID)" } else { "a kept answer" }
    }

    /// The answer's JSON text.
    ///
    /// - Parameter sealer: nil where no answer is ever kept sealed; one that is was not put there by us.
    /// - Throws: what ``KeyRing/open(_:in:)`` throws, for an answer that is kept sealed.
    public func answer(to key: RequestKey, sealer: Sealer?) throws(SealingError) -> [UInt8] {
      switch text {
      case .plain(let text): return Array(text.utf8)
      case .sealed(let sealed, let recordID):
        guard let sealer else { throw .invalid }
        let context = SealingContext.keptAnswer(
          recordID, caller: key.caller, method: key.method, key: key.key, databaseID: sealer.databaseID)
        return try sealer.keyRing.open(try SealedRecord(sealed), in: context).withUnsafeBytes { Array($0) }
      }
    }
  }

  enum Text: Sendable {
    case plain(String)
    case sealed([UInt8], recordID: UniqueID)
  }

  /// Of whom and of what an answer tells, so that it goes when they are erased. An answer with ids alone tells of nobody.
  public struct Concern: Sendable {
    public static let nobody = Concern(user: nil)

    let user: UserID?
    let about: AdvisoryLock?

    /// - Parameter about: the lock on the identity, or on the credential's place, that it tells of.
    public init(user: UserID?, about: AdvisoryLock? = nil) {
      self.user = user
      self.about = about
    }
  }

  public struct Record: Sendable {
    public let key: RequestKey
    public let concern: Concern
    public let at: Timestamp
    let answer: String?
    let sealed: SealedRecord?
    let recordID: UniqueID?

    /// - Parameter answer: the result's JSON text.
    public init(key: RequestKey, answer: [UInt8], concern: Concern, at: Timestamp) {
      self.key = key
      self.concern = concern
      self.at = at
      self.answer = String(decoding: answer, as: UTF8.self)
      sealed = nil
      recordID = nil
    }

    /// For an answer that tells what is stored sealed.
    ///
    /// - Parameter recordID: made for it.
    public init(
      key: RequestKey, sealing answer: [UInt8], as recordID: UniqueID, by sealer: Sealer, concern: Concern,
      at: Timestamp
    ) throws(SealingError) {
      self.key = key
      self.concern = concern
      self.at = at
      self.answer = nil
      self.recordID = recordID
      sealed = try sealer.keyRing.seal(
        SecretBytes(copying: answer),
        in: .keptAnswer(
          recordID, caller: key.caller, method: key.method, key: key.key, databaseID: sealer.databaseID))
    }
  }

  public static let find = Statement<[RequestKey], Found>(
    "find_kept_answers",
    """
    select k.position, r.parameters_sha256, r.answer, r.sealed, r.record_id
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality k (caller, method, key, position)
    join kith.request_keys r on r.caller = k.caller and r.method = k.method and r.key = k.key
    """,
    encode: { keys, parameters in
      parameters.add(column: { $0.caller.text }, of: keys)
      parameters.add(column: { $0.method }, of: keys)
      parameters.add(column: { $0.key }, of: keys)
    },
    decode: { row throws(PostgresError) in
      let position = try row.position()
      let digest = try row.require(try row.bytes().map { Array($0) })
      if let text = try row.optionalText() {
        return Found(position: position, parametersDigest: digest, text: .plain(text))
      }
      let sealed = try row.require(try row.bytes().map { Array($0) })
      let id = try row.require(try row.optionalUUID())
      let text = Text.sealed(sealed, recordID: UniqueID(high: id.high, low: id.low))
      return Found(position: position, parametersDigest: digest, text: text)
    })

  public static let insert = Statement<[Record], Void>(
    "insert_kept_answers",
    """
    insert into kith.request_keys (caller, method, key, parameters_sha256, answer, created_at, sealed, key_id,
      record_id, user_id, about)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[], $7::bytea[],
      $8::text[], $9::uuid[], $10::uuid[], $11::int8[])
    """
  ) { records, parameters in
    parameters.add(column: { $0.key.caller.text }, of: records)
    parameters.add(column: { $0.key.method }, of: records)
    parameters.add(column: { $0.key.key }, of: records)
    parameters.add(column: { ByteString($0.key.parametersDigest) }, of: records)
    parameters.add(optional: { $0.answer }, of: records)
    parameters.add(column: { $0.at }, of: records)
    parameters.add(optional: { $0.sealed.map { ByteString($0.bytes) } }, of: records)
    parameters.add(optional: { $0.sealed?.keyID.text }, of: records)
    parameters.add(optional: { $0.recordID }, of: records)
    parameters.add(optional: { $0.concern.user?.unique }, of: records)
    parameters.add(optional: { $0.concern.about?.name }, of: records)
  }
}
