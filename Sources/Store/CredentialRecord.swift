import Accounts
import Postgres

/// A credential without its secret: what may be told of it to everybody who may see it.
public struct CredentialRecord: Sendable {
  public let id: CredentialID
  public let place: CredentialPlace
  public let label: ExactText?
  public let user: UserID?
  /// The text of a JSON object.
  public let attributes: ExactText?
  /// Counts every change, and the secret is sealed for this very one.
  public let version: Int64
  public let createdAt: Timestamp
  public let updatedAt: Timestamp
  public let expiresAt: Timestamp?

  public init(
    id: CredentialID, place: CredentialPlace, label: ExactText?, user: UserID?, attributes: ExactText?, version: Int64,
    createdAt: Timestamp, updatedAt: Timestamp, expiresAt: Timestamp?
  ) {
    self.id = id
    self.place = place
    self.label = label
    self.user = user
    self.attributes = attributes
    self.version = version
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.expiresAt = expiresAt
  }

  init(_ row: inout RowReader) throws(PostgresError) {
    id = try row.id()
    place = CredentialPlace(
      accessGroup: try row.exactText(), account: try row.exactText(), service: try row.exactText())
    label = try row.optionalExactText()
    user = try row.optionalID()
    attributes = try row.optionalExactText()
    version = try row.integer()
    createdAt = try row.timestamp()
    updatedAt = try row.timestamp()
    expiresAt = try row.optionalTimestamp()
  }

  /// Whether it counts as gone.
  public func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// A credential as it is stored.
public struct StoredCredential: Sendable {
  public let record: CredentialRecord
  public let sealed: [UInt8]
  /// The newest version that the history tells; another than the row's for a row that was put back. Nil if it tells none.
  public let newestVersion: Int64?

  init(_ row: inout RowReader) throws(PostgresError) {
    record = try CredentialRecord(&row)
    sealed = try row.require(try row.bytes().map { Array($0) })
    newestVersion = try row.optionalInteger()
  }
}
