import Accounts
import Crypto
import Store
import Vault

/// Rows of the three sealed kinds, sealed as the daemon does it.
public struct SealedSeed: Sendable {
  public let keyRing: KeyRing
  public let databaseID: UniqueID

  /// What the row of a number holds.
  public static func content(_ number: Int, bytes: Int = 0) -> SecretBytes {
    SecretBytes(copying: Array("secret \(number)".utf8) + [UInt8](repeating: 0x2E, count: bytes))
  }

  /// The details of a held registration with an address.
  public static func details(_ number: Int) -> SecretBytes {
    SecretBytes(copying: #"{"email":"Person\#(number)@Example.org","email_verified":true,"profile":{}}"#.utf8)
  }

  public static func id(_ number: Int) -> UniqueID {
    UniqueID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
  }

  /// A statement that puts credentials with these numbers.
  ///
  /// - Parameter bytes: how much longer each is.
  public func credentials(_ numbers: Range<Int>, bytes: Int = 0) throws -> String {
    let rows = try numbers.map { number in
      let record = try keyRing.seal(
        Self.content(number, bytes: bytes), in: Self.credentialContext(number, databaseID: databaseID))
      return
        "('\(Self.id(number))', 'g', 'a\(number)', 's', 1, \(Self.literal(record)), '\(record.keyID)', now(), now())"
    }
    return """
      insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at)
      values \(rows.joined(separator: ", "));

      """
  }

  public static func credentialContext(_ number: Int, databaseID: UniqueID) -> SealingContext {
    .credential(
      id(number), accessGroup: "g", account: ExactText("a\(number)"), service: "s", userID: nil, version: 1,
      databaseID: databaseID)
  }

  /// Whose the held registration of a number is.
  private static func identity(_ number: Int, tenant: String) throws -> IdentityKey {
    struct NoIdentity: Error {}
    guard let namespace = Namespace(.apple, tenant: ExactText(tenant)), let subject = Subject("s\(number)") else {
      throw NoIdentity()
    }
    return IdentityKey(namespace, subject)
  }

  /// A statement that puts held registrations with these numbers, which can be found by their addresses.
  ///
  /// - Parameter tenant: Apple's, whose they are; entered as the first namespace where there is none.
  public func registrations(_ numbers: Range<Int>, tenant: String = "TEAM000001") throws -> String {
    let sealer = Sealer(keyRing, databaseID: databaseID)
    let rows = try numbers.map { number in
      let details = Self.details(number)
      let record = try keyRing.seal(
        details,
        in: .registration(
          RegistrationID(Self.id(number)), of: try Self.identity(number, tenant: tenant), version: 1,
          databaseID: databaseID))
      let index = try sealer.emailIndex(inDetails: details)?.code ?? []
      return """
        ('\(Self.id(number))', (select id from kith.namespaces where tenant = '\(tenant)'), 's\(number)', 1, \(Self.literal(record)), '\(record.keyID)',
          \(Self.literal(index)), 'verified_email', 'web', now(), now(), now(), now() + interval '1 day')
        """
    }
    return """
      insert into kith.namespaces (id, provider, tenant) overriding system value values (1, 'apple', '\(tenant)')
      on conflict do nothing;
      insert into kith.registrations (id, namespace_id, subject, version, sealed, key_id, email_index, link, caller,
        held_at, said_at, email_said_at, expires_at) values \(rows.joined(separator: ", "));

      """
  }

  /// A statement that puts kept answers with these numbers.
  public func answers(_ numbers: Range<Int>) throws -> String {
    guard let caller = CallerName("web") else { return "" }
    let rows = try numbers.map { number in
      let record = try keyRing.seal(
        Self.content(number),
        in: .keptAnswer(
          Self.id(number), caller: caller, method: "m", key: ExactText("k\(number)"), databaseID: databaseID))
      return """
        ('web', 'm', 'k\(number)', sha256(''), now(), '\(Self.id(number))', \(Self.literal(record)), '\(record.keyID)')
        """
    }
    return """
      insert into kith.request_keys (caller, method, key, parameters_sha256, created_at, record_id, sealed, key_id)
      values \(rows.joined(separator: ", "));

      """
  }

  private static func literal(_ record: SealedRecord) -> String { literal(record.bytes) }

  /// Bytes as SQL writes them.
  public static func literal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    return "'\\x\(String(decoding: text, as: UTF8.self))'::bytea"
  }
}

extension TestDatabase {
  public func sealedSeed(by keyset: Keyset) async throws -> SealedSeed {
    struct NoDatabaseID: Error {}
    guard let text = try await texts("select d.id::text from kith.database d").first, let id = UniqueID(text) else {
      throw NoDatabaseID()
    }
    return SealedSeed(keyRing: try KeyRing(keyset, random: .system), databaseID: id)
  }

  /// What is sealed in every credential, read as a daemon with these keys reads it; throws where it does not open.
  public func credentials(openedBy keyset: Keyset) async throws -> [Int: SecretBytes] {
    let seed = try await sealedSeed(by: keyset)
    let rows = try await texts("select c.account || ' ' || encode(c.sealed, 'hex') from kith.credentials c")
    return try rows.reduce(into: [:]) { opened, row in
      let parts = row.split(separator: " ")
      let number = Int(parts[0].dropFirst()) ?? -1
      let record = try SealedRecord(Self.bytes(hexadecimal: parts[1]))
      opened[number] = try seed.keyRing.open(
        record, in: SealedSeed.credentialContext(number, databaseID: seed.databaseID))
    }
  }

  private static func bytes(hexadecimal text: Substring) -> [UInt8] {
    let digits = Array(text.utf8).map { $0 > 0x39 ? $0 - 0x61 + 10 : $0 - 0x30 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
