import Accounts
import Crypto
import JSON
import Vault

extension Sealer {
  /// The part of what is stored; with another name nothing is found any more.
  private static var emailField: ExactText { "kith.registration.email" }
  /// Claims with their profile and its details.
  private static let nestingMax = 64

  /// The code, under the primary key, of the address in the details of a registration; nil where they have none.
  ///
  /// - Parameter details: the opened JSON text.
  /// - Throws: `.invalid` for a text that is no registration's.
  public func emailIndex(inDetails details: SecretBytes) throws(SealingError) -> BlindIndex? {
    let parser = JSONParser()
    defer { parser.wipe() }
    let address: EmailAddress? = try details.withUnsafeBytes { (bytes) throws(SealingError) in
      guard let claims = try? parser.parse(bytes, nestingMax: Self.nestingMax), claims.isObject else { throw .invalid }
      guard let email = claims.member("email") else { return nil }
      guard let text = email.string, let address = try? EmailAddress(text) else { throw .invalid }
      return address
    }
    guard let address else { return nil }
    return try keyRing.blindIndex(
      of: SecretBytes(copying: address.canonical.string.utf8), field: Self.emailField, databaseID: databaseID)
  }
}
