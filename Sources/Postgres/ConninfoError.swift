/// Why a text is no connection string of libpq.
///
/// Its words are our own and hold nothing of the text: libpq's quote it, and with it perhaps a piece of a password.
public enum ConninfoError: Error, Sendable {
  /// A keyword, of the string or of a URI's query, that libpq does not know.
  case unknownKeyword
  /// A word with no `=` behind it, as the second one of a value with a space in it.
  case missingEqualsSign
  case quoteNeverClosed
  /// A `%` of a URI that stands for itself.
  case percentEncoding
  /// Anything else, most likely in a URI.
  case malformed

  /// - Parameter message: libpq's own, which tells the kinds apart by how it begins.
  init(_ message: String) {
    self =
      if message.hasPrefix("invalid connection option") || message.hasPrefix("invalid URI query parameter") {
        .unknownKeyword
      } else if message.hasPrefix("missing \"=\" after") {
        .missingEqualsSign
      } else if message.hasPrefix("unterminated quoted string") {
        .quoteNeverClosed
      } else if message.hasPrefix("invalid percent-encoded token") {
        .percentEncoding
      } else {
        .malformed
      }
  }
}

extension ConninfoError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownKeyword: "libpq does not know a keyword in it"
    case .missingEqualsSign: "a word in it has no \"=\" behind it"
    case .quoteNeverClosed: "a single quote in it is never closed"
    case .percentEncoding: "a \"%\" in it begins no percent-encoding"
    case .malformed: "libpq cannot read it"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch self {
    case .missingEqualsSign: "a value with spaces stands in single quotes, as password='…'"
    case .percentEncoding: "in a URI the sign itself is written \"%25\""
    case .unknownKeyword, .quoteNeverClosed, .malformed:
      "as \"host=/run/postgresql dbname=kith user=kith_runtime\", or a URI"
    }
  }
}
