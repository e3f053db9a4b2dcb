/// One way to take what somebody looks for. Most texts can be taken in several, and each is tried.
public enum UserSearchForm: Hashable, Sendable {
  /// The users whose ids begin with the given digits: from the first possible id to the last.
  case idPrefix(ClosedRange<UserID>)
  /// A canonical address, verified or not.
  case address(ExactText)
  /// The canonical domain of an address.
  case domain(ExactText)
  /// The whole id of a person at some provider.
  case subject(Subject)
  /// Words of a name, of which each may be just a beginning.
  case name(SearchText)
}

extension UserSearchForm {
  /// Fewer digits would begin the ids of everybody.
  public static let idDigitsMin = 4
  /// More than the longest name anybody looks for.
  public static let nameBytesMax = 1024

  /// Every way in which a text can be taken; none for what cannot be anything.
  public static func forms(of query: String) -> [UserSearchForm] {
    // No text in the database has a NUL.
    guard !query.utf8.contains(0) else { return [] }
    let text = trimmed(query)
    return [idPrefix(text), address(text), domain(text), subject(query), name(text)].compactMap(\.self)
  }

  private static func trimmed(_ query: String) -> String {
    let scalars = query.unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    guard let start = scalars.firstIndex(where: { !isSpace($0) }), let end = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[start...end])
  }

  private static func idPrefix(_ text: String) -> UserSearchForm? {
    UniqueID.range(ofPrefix: text, digitsMin: idDigitsMin).map {
      .idPrefix(UserID($0.lowerBound)...UserID($0.upperBound))
    }
  }

  private static func address(_ text: String) -> UserSearchForm? {
    (try? EmailAddress(text)).map { .address($0.canonical) }
  }

  /// A domain is told from a word by its `@` in front or by a dot.
  private static func domain(_ text: String) -> UserSearchForm? {
    let isMarked = text.utf8.first == UInt8(ascii: "@")
    guard isMarked || text.utf8.contains(UInt8(ascii: ".")) else { return nil }
    let domain = isMarked ? String(text.unicodeScalars.dropFirst()) : text
    guard let canonical = (try? EmailAddress("a@\(domain)"))?.canonical.string else { return nil }
    return .domain(ExactText(String(canonical.unicodeScalars.dropFirst(2))))
  }

  private static func subject(_ query: String) -> UserSearchForm? {
    Subject(query).map { .subject($0) }
  }

  private static func name(_ text: String) -> UserSearchForm? {
    guard (1...nameBytesMax).contains(text.utf8.count) else { return nil }
    return SearchText(text).map { .name($0) }
  }
}
