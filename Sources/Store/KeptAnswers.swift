import Accounts
import Postgres

/// Which call a kept answer belongs to: the same caller, method and key.
public struct RequestKey: Hashable, Sendable {
  public let caller: CallerName
  public let method: ExactText
  public let key: ExactText
  /// SHA-256 of the parameters in canonical form, keyed where they hold a secret.
  public let parametersDigest: [UInt8]
  /// What the digest of the same parameters was with keys that still open, for a repeat after another key was promoted.
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
    /// The result's JSON text.
    public let answer: String
  }

  public struct Record: Sendable {
    public let key: RequestKey
    public let answer: [UInt8]
    public let at: Timestamp

    public init(key: RequestKey, answer: [UInt8], at: Timestamp) {
      self.key = key
      self.answer = answer
      self.at = at
    }
  }

  public static let find = Statement<[RequestKey], Found>(
    "find_kept_answers",
    """
    select k.position, r.parameters_sha256, r.answer
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
      return Found(position: position, parametersDigest: digest, answer: try row.text())
    })

  public static let insert = Statement<[Record], Void>(
    "insert_kept_answers",
    """
    insert into kith.request_keys (caller, method, key, parameters_sha256, answer, created_at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[])
    """
  ) { records, parameters in
    parameters.add(column: { $0.key.caller.text }, of: records)
    parameters.add(column: { $0.key.method }, of: records)
    parameters.add(column: { $0.key.key }, of: records)
    parameters.add(column: { ByteString($0.key.parametersDigest) }, of: records)
    parameters.add(column: { String(decoding: $0.answer, as: UTF8.self) }, of: records)
    parameters.add(column: { $0.at }, of: records)
  }
}
