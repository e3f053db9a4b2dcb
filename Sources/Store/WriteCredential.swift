import Accounts
import Postgres
import Vault

/// A credential as it is from now on, or gone.
public enum WriteCredential {
  public struct Input: Sendable {
    public let record: CredentialRecord
    public let sealed: SealedRecord

    public init(record: CredentialRecord, sealed: SealedRecord) {
      self.record = record
      self.sealed = sealed
    }
  }

  public static let insert = Statement<Input, Void>(
    "insert_credential",
    """
    insert into kith.credentials (id, label, user_id, attributes, version, updated_at, expires_at, sealed, key_id,
      access_group, account, service, created_at)
    values ($1::uuid, $2::text, $3::uuid, $4::json, $5::int8, $6::timestamptz, $7::timestamptz, $8::bytea, $9::text,
      $10::text, $11::text, $12::text, $13::timestamptz)
    """
  ) { input, parameters in
    encode(input, &parameters)
    parameters.add(input.record.place.accessGroup)
    parameters.add(input.record.place.account)
    parameters.add(input.record.place.service)
    parameters.add(input.record.createdAt)
  }

  public static let update = Statement<Input, Void>(
    "update_credential",
    """
    update kith.credentials c set label = $2::text, user_id = $3::uuid, attributes = $4::json, version = $5::int8,
      updated_at = $6::timestamptz, expires_at = $7::timestamptz, sealed = $8::bytea, key_id = $9::text
    where c.id = $1::uuid
    """,
    encode: encode)

  public static let delete = Statement<CredentialID, Void>(
    "delete_credential", "delete from kith.credentials c where c.id = $1::uuid"
  ) { id, parameters in parameters.add(id.unique) }

  @Sendable
  private static func encode(_ input: Input, _ parameters: inout Parameters) {
    parameters.add(input.record.id.unique)
    parameters.add(input.record.label)
    parameters.add(input.record.user?.unique)
    parameters.add(input.record.attributes.map { JSONText($0.string) })
    parameters.add(input.record.version)
    parameters.add(input.record.updatedAt)
    parameters.add(input.record.expiresAt)
    parameters.add(ByteString(input.sealed.bytes))
    parameters.add(input.sealed.keyID.text)
  }
}
