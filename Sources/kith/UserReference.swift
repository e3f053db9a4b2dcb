import Accounts
import Terminal

/// How a person at the command line names a user.
enum UserReference: Hashable, Sendable {
  case id(UserID)
  /// Lower-case hexadecimal digits and hyphens, the beginning of exactly one id.
  case idPrefix(String)
  case email(ExactText)
  case identity(Provider, Subject)

  /// Shorter beginnings fit too many users to be meant for one.
  private static let prefixLengthMin = 4

  /// Hexadecimal digits and hyphens of a whole id.
  private static let idLength = 36

  /// - Throws: a failure with exit code `usage` when the text is none of the four.
  init(_ text: String) throws(CommandFailure) {
    // A subject may hold anything, an "@" or what looks like an id included, so the provider is looked for first.
    if let identity = Self.identity(text) {
      self = identity
    } else if text.utf8.contains(UInt8(ascii: "@")) {
      self = .email(ExactText(text))
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

  private static func identity(_ text: String) -> UserReference? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      let provider = Provider.allCases.first(where: { $0.rawValue.utf8.elementsEqual(parts[0]) }),
      let subject = Subject(String(Substring(parts[1])))
    else { return nil }
    return .identity(provider, subject)
  }

  private static func isPrefix(_ text: String) -> Bool {
    (prefixLengthMin..<idLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || "0123456789abcdefABCDEF".utf8.contains($0) }
  }
}
