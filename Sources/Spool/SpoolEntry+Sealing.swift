import Accounts
import Crypto
import Vault

extension SpoolEntry {
  /// Where the sealed form of an entry belongs. An entry is sealed once, so it has one version.
  private static func context(_ id: RegistrationID, _ databaseID: UniqueID) -> SealingContext {
    SealingContext(
      domain: .spool, accessGroup: "", account: "", service: "", userID: nil, recordID: id.unique, recordVersion: 1,
      databaseID: databaseID)
  }

  /// The whole entry as one sealed record. Only its id is to be known from elsewhere.
  func sealed(by sealer: Sealer) throws(SealingError) -> SealedRecord {
    try sealer.keyRing.seal(content, in: Self.context(id, sealer.databaseID))
  }

  /// - Returns: nil when the record opens, but is no entry of this format.
  static func open(_ bytes: [UInt8], id: RegistrationID, by sealer: Sealer) throws(SealingError) -> SpoolEntry? {
    let content = try sealer.keyRing.open(SealedRecord(bytes), in: context(id, sealer.databaseID))
    return content.withUnsafeBytes { SpoolEntry(id, $0) }
  }
}

// MARK: Content

/// What is sealed, numbers with the most significant byte first:
///
/// ```
/// 4 + n  namespace, `provider:tenant`    ┐
/// 4 + n  subject                         │ each preceded
/// 4 + n  link                            │ by its length
/// 4 + n  caller                          ┘
/// 8      received at, microseconds since 1970
/// 8      expires at, microseconds since 1970
/// m      claims
/// ```
extension SpoolEntry {
  /// The texts of a namespace, a subject and a link, which no others give.
  static func text(of identity: IdentityKey, link: ExactText) -> [UInt8] {
    var head: [UInt8] = []
    for text in [identity.namespace.description, identity.subject.text.string, link.string] {
      head.append(number: UInt32(text.utf8.count))
      head.append(contentsOf: text.utf8)
    }
    return head
  }

  private var content: SecretBytes {
    var head = Self.text(of: identity, link: link)
    head.append(number: UInt32(caller.text.byteCount))
    head.append(contentsOf: caller.text.string.utf8)
    head.append(number: receivedAt.microseconds)
    head.append(number: expiresAt.microseconds)
    return SecretBytes(count: head.count + claims.count) { content in
      content.copyBytes(from: head)
      claims.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: content[head.count...]).copyMemory(from: $0) }
    }
  }

  private init?(_ id: RegistrationID, _ content: UnsafeRawBufferPointer) {
    var rest = content[...]
    guard let namespace = Self.takeText(from: &rest).flatMap({ Namespace($0) }),
      let subject = Self.takeText(from: &rest).flatMap({ Subject($0) }),
      let link = Self.takeText(from: &rest),
      let caller = Self.takeText(from: &rest).flatMap({ CallerName($0) }),
      let receivedAt = Self.takeNumber(Int64.self, from: &rest),
      let expiresAt = Self.takeNumber(Int64.self, from: &rest)
    else { return nil }
    self.init(
      id: id, identity: IdentityKey(namespace, subject), link: ExactText(link), caller: caller,
      receivedAt: Timestamp(microseconds: receivedAt), expiresAt: Timestamp(microseconds: expiresAt),
      claims: SecretBytes(copying: rest))
  }

  private static func takeNumber<Number: FixedWidthInteger>(
    _ type: Number.Type, from rest: inout Slice<UnsafeRawBufferPointer>
  ) -> Number? {
    let count = Number.bitWidth / 8
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | Number($1) }
  }

  private static func takeText(from rest: inout Slice<UnsafeRawBufferPointer>) -> String? {
    guard let count = takeNumber(UInt32.self, from: &rest), rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return String(validating: rest.prefix(Int(count)), as: UTF8.self)
  }
}
