import Accounts
import Crypto
import Postgres
import Vault

/// Root keys as the database knows them: by a code that each makes of one text, so that an id stands for the same key for
/// ever.
public enum KnownKeys {
  /// Part of what is stored: with another text no key is known any more.
  private static let text = "kith.key"

  /// The codes of the keys that seal and open.
  public static func codes(of keyRing: KeyRing, databaseID: UniqueID) throws(SealingError) -> [BlindIndex] {
    try keyRing.blindIndexes(
      of: SecretBytes(copying: text.utf8), field: ExactText(text), databaseID: databaseID)
  }

  /// Enters keys that the database does not know yet.
  public static let enter = Statement<[BlindIndex], Void>(
    "enter_keys",
    """
    insert into kith.keys (id, code)
    select g.id, g.code from unnest($1::text[], $2::bytea[]) g (id, code)
    on conflict do nothing
    """
  ) { codes, parameters in
    parameters.add(column: { $0.keyID.text }, of: codes)
    parameters.add(column: { ByteString($0.code) }, of: codes)
  }

  public static let find = Statement<[BlindIndex], (id: ExactText, code: [UInt8])>(
    "find_known_keys", "select k.id, k.code from kith.keys k where k.id = any ($1::text[])",
    encode: { codes, parameters in parameters.add(array: codes.map(\.keyID.text)) },
    decode: { row throws(PostgresError) in
      (try row.exactText(), try row.require(try row.bytes().map { Array($0) }))
    })
}
