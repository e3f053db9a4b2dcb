import Accounts
import Terminal

/// How a person at the command line names a user.
enum UserReference: Hashable, Sendable {
  case id(UserID)
  /// Lower-case hexadecimal digits and hyphens, the beginning of exactly one id.
  case idPrefix(String)
  case email(ExactText)
  /// Without a tenant, the only one of the provider.
  case identity(Provider, tenant: ExactText?, Subject)

  /// Shorter beginnings fit too many users to be meant for one.
  private static let prefixLengthMin = 4

  /// Hexadecimal digits and hyphens of a whole id.
  private static let idLength = 36

  /// - Parameter tenant: of an identity's provider; given beside the text, because a subject may hold anything.
  /// - Throws: a failure with exit code `usage` when the text is none of the four, has an "@" and is no address, or has a
  ///   tenant and is no identity.
  init(_ text: String, tenant: String? = nil) throws(CommandFailure) {
    // A subject may hold an "@" or what looks like an id, so the provider is looked for first.
    if let identity = Self.identity(text, tenant: tenant) {
      self = identity
    } else if tenant != nil {
      throw CommandFailure(
        .usage, "--tenant is for a user who is named by provider:subject, not by \"\(text)\"")
    } else if text.utf8.contains(UInt8(ascii: "@")) {
      self = .email(ExactText(try EmailAddress(argument: text).asGiven))
    } else if let id = UserID(text) {
      self = .id(id)
    } else if Self.isPrefix(text) {
      self = .idPrefix(text.lowercased())
    } else {
      throw CommandFailure(
        .usage, "\"\(text)\" names no user",
        hint: "a user is named by an id or its first \(Self.prefixLengthMin) characters or more, "
          + "an e-mail address, or provider:subject")
    }
  }

  private static func identity(_ text: String, tenant: String?) -> UserReference? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      let provider = Provider.allCases.first(where: { $0.rawValue.utf8.elementsEqual(parts[0]) }),
      let subject = Subject(String(Substring(parts[1])))
    else { return nil }
    return .identity(provider, tenant: tenant.map { ExactText($0) }, subject)
  }

  private static func isPrefix(_ text: String) -> Bool {
    (prefixLengthMin..<idLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || "0123456789abcdefABCDEF".utf8.contains($0) }
  }
}
