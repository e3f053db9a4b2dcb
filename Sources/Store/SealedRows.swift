import Accounts
import Postgres
import Vault

/// One sealed value and where it belongs, whichever table it is from.
public struct SealedRow: Sendable {
  public let place: SealedPlace
  public let sealed: [UInt8]
  /// Whether an address in it is found by a code of the key that seals it.
  public let hasEmailIndex: Bool
  private let contextIn: @Sendable (UniqueID) -> SealingContext

  init(
    _ place: SealedPlace, _ sealed: [UInt8], hasEmailIndex: Bool = false,
    contextIn: @escaping @Sendable (UniqueID) -> SealingContext
  ) {
    self.place = place
    self.sealed = sealed
    self.hasEmailIndex = hasEmailIndex
    self.contextIn = contextIn
  }

  public func context(databaseID: UniqueID) -> SealingContext { contextIn(databaseID) }
}

/// Which sealed row, in the order in which they are wrapped anew: by kind, key, id.
public struct SealedPlace: Hashable, Sendable {
  public let kind: SealedKind
  /// The key that seals it, as it is stored.
  public let key: ExactText
  public let id: UniqueID

  public init(kind: SealedKind, key: ExactText, id: UniqueID) {
    self.kind = kind
    self.key = key
    self.id = id
  }
}

/// Rows of one kind that one key seals, for wrapping them anew. A row that somebody has locked is passed over: it is being
/// wrapped anew or sealed anew already, or is there the next time.
public struct LockSealedRows: Sendable {
  public let key: ExactText
  /// Nil for the first ones.
  public let after: UniqueID?
  public let rowsMax: Int32
  /// Of what is sealed; one row comes however long it is.
  public let bytesMax: Int64

  public init(key: ExactText, after: UniqueID?, rowsMax: Int32, bytesMax: Int64) {
    self.key = key
    self.after = after
    self.rowsMax = rowsMax
    self.bytesMax = bytesMax
  }

  public static func statement(_ kind: SealedKind) -> Statement<LockSealedRows, SealedRow> {
    switch kind {
    case .registration: registrations
    case .credential: credentials
    case .keptAnswer: keptAnswers
    }
  }

  private static let registrations = Statement<LockSealedRows, SealedRow>(
    "lock_sealed_registrations",
    """
    select b.key_id, b.id, b.sealed, b.version, b.has_index, n.provider, n.tenant, b.subject from (
      select l.*, sum(octet_length(l.sealed)) over (order by l.id) - octet_length(l.sealed) as bytes_before from (
        select r.key_id, r.id, r.sealed, r.version, r.email_index is not null as has_index, r.namespace_id, r.subject
        from kith.registrations r where r.key_id = $1::text and ($2::uuid is null or r.id > $2::uuid)
        order by r.id limit $3::int4 for no key update skip locked
      ) l
    ) b join kith.namespaces n on n.id = b.namespace_id where b.bytes_before < $4::int8 order by b.id
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      let (place, sealed) = try read(&row, .registration)
      let version = try row.integer(Int64.self)
      let hasEmailIndex = try row.bool()
      let identity = try row.identity()
      return SealedRow(place, sealed, hasEmailIndex: hasEmailIndex) { databaseID in
        .registration(RegistrationID(place.id), of: identity, version: version, databaseID: databaseID)
      }
    })

  private static let credentials = Statement<LockSealedRows, SealedRow>(
    "lock_sealed_credentials",
    """
    select b.key_id, b.id, b.sealed, b.version, b.access_group, b.account, b.service, b.user_id from (
      select l.*, sum(octet_length(l.sealed)) over (order by l.id) - octet_length(l.sealed) as bytes_before from (
        select c.key_id, c.id, c.sealed, c.version, c.access_group, c.account, c.service, c.user_id
        from kith.credentials c where c.key_id = $1::text and ($2::uuid is null or c.id > $2::uuid)
        order by c.id limit $3::int4 for no key update skip locked
      ) l
    ) b where b.bytes_before < $4::int8 order by b.id
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      let (place, sealed) = try read(&row, .credential)
      let version = try row.integer(Int64.self)
      let (group, account, service) = (try row.exactText(), try row.exactText(), try row.exactText())
      let user = try row.optionalID(UserID.self)
      return SealedRow(place, sealed) { databaseID in
        .credential(
          place.id, accessGroup: group, account: account, service: service, userID: user, version: version,
          databaseID: databaseID)
      }
    })

  private static let keptAnswers = Statement<LockSealedRows, SealedRow>(
    "lock_sealed_answers",
    """
    select b.key_id, b.record_id, b.sealed, b.caller, b.method, b.key from (
      select l.*, sum(octet_length(l.sealed)) over (order by l.record_id) - octet_length(l.sealed) as bytes_before from (
        select a.key_id, a.record_id, a.sealed, a.caller, a.method, a.key
        from kith.request_keys a where a.key_id = $1::text and ($2::uuid is null or a.record_id > $2::uuid)
        order by a.record_id limit $3::int4 for no key update skip locked
      ) l
    ) b where b.bytes_before < $4::int8 order by b.record_id
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      let (place, sealed) = try read(&row, .keptAnswer)
      let (name, method, key) = (try row.text(), try row.exactText(), try row.exactText())
      guard let caller = CallerName(name) else { throw .unexpectedAnswer("a kept answer is nobody's") }
      return SealedRow(place, sealed) { databaseID in
        .keptAnswer(place.id, caller: caller, method: method, key: key, databaseID: databaseID)
      }
    })

  @Sendable private static func encode(_ lock: LockSealedRows, _ parameters: inout Parameters) {
    parameters.add(lock.key)
    parameters.add(lock.after)
    parameters.add(lock.rowsMax)
    parameters.add(lock.bytesMax)
  }

  private static func read(
    _ row: inout RowReader, _ kind: SealedKind
  ) throws(PostgresError) -> (place: SealedPlace, sealed: [UInt8]) {
    let key = try row.exactText()
    let id = try row.require(try row.optionalUUID())
    let sealed = try row.require(try row.bytes().map { Array($0) })
    return (SealedPlace(kind: kind, key: key, id: UniqueID(high: id.high, low: id.low)), sealed)
  }
}

/// Writes rows that were locked and wrapped anew, all of one kind and formerly of one key.
public struct WriteRewrapped: Sendable {
  public struct Row: Sendable {
    public let id: UniqueID
    public let record: SealedRecord
    /// The code of the address, where there was one.
    public let emailIndex: BlindIndex?

    public init(id: UniqueID, record: SealedRecord, emailIndex: BlindIndex?) {
      self.id = id
      self.record = record
      self.emailIndex = emailIndex
    }
  }

  public let formerKey: ExactText
  /// The key of all records.
  public let key: KeyID
  public let rows: [Row]

  public init(formerKey: ExactText, key: KeyID, rows: [Row]) {
    self.formerKey = formerKey
    self.key = key
    self.rows = rows
  }

  public static func statement(_ kind: SealedKind) -> Statement<WriteRewrapped, Void> {
    switch kind {
    case .registration: registrations
    case .credential: credentials
    case .keptAnswer: keptAnswers
    }
  }

  private static let registrations = Statement<WriteRewrapped, Void>(
    "write_rewrapped_registrations",
    """
    update kith.registrations r set sealed = n.sealed, key_id = $2::text, email_index = n.email_index
    from unnest($3::uuid[], $4::bytea[], $5::bytea[]) n (id, sealed, email_index)
    where r.id = n.id and r.key_id = $1::text
    """
  ) { write, parameters in
    encode(write, &parameters)
    parameters.add(optional: { row in row.emailIndex.map { ByteString($0.code) } }, of: write.rows)
  }

  private static let credentials = Statement<WriteRewrapped, Void>(
    "write_rewrapped_credentials",
    """
    update kith.credentials c set sealed = n.sealed, key_id = $2::text
    from unnest($3::uuid[], $4::bytea[]) n (id, sealed) where c.id = n.id and c.key_id = $1::text
    """, encode: encode)

  private static let keptAnswers = Statement<WriteRewrapped, Void>(
    "write_rewrapped_answers",
    """
    update kith.request_keys a set sealed = n.sealed, key_id = $2::text
    from unnest($3::uuid[], $4::bytea[]) n (id, sealed) where a.record_id = n.id and a.key_id = $1::text
    """, encode: encode)

  @Sendable private static func encode(_ write: WriteRewrapped, _ parameters: inout Parameters) {
    parameters.add(write.formerKey)
    parameters.add(write.key.text)
    parameters.add(column: { $0.id }, of: write.rows)
    parameters.add(column: { ByteString($0.record.bytes) }, of: write.rows)
  }
}
