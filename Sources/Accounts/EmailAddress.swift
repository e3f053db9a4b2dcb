/// An e-mail address: as it was given, and the canonical form by which it is compared.
///
/// The canonical form is NFC; the domain in IDNA ASCII lower case (UTS #46, non-transitional); the local part under full
/// Unicode case folding. Nothing else is changed: dots and plus signs stay. It is stable: the canonical form of a
/// canonical form is itself.
///
/// What is accepted is one bare address. Dots stand anywhere in the local part, also doubled or at its end, because
/// some carriers have handed out such addresses. A domain may be a single label. Refused are lists, display names,
/// quotes, comments, domain literals, white space, control and formatting characters, characters that cannot be seen,
/// private-use and unassigned characters, and whatever turns into one of these, or into another `@`, when normalised.
public struct EmailAddress: Sendable {
  public let asGiven: String
  public let canonical: ExactText

  /// The longest address that fits an SMTP path (RFC 5321); holds for both forms.
  public static let bytesMax = 254

  /// Reads one address.
  public init(_ text: String) throws(Invalid) {
    guard text.utf8.count <= Self.bytesMax else { throw .tooLong }
    switch ASCIIAddressScan(address: text.utf8.span) {
    case .canonical: canonical = ExactText(text)
    case .hasUpperCase: canonical = ExactText(text.asciiLowercased)
    case .needsUnicode: canonical = try Self.unicodeCanonical(of: text)
    case .invalid(let reason): throw reason
    }
    asGiven = text
  }

  /// An address that was read once and comes back from where it was kept.
  public init(storedAsGiven asGiven: String, canonical: ExactText) {
    self.asGiven = asGiven
    self.canonical = canonical
  }
}

extension EmailAddress: Hashable {
  /// Two addresses are the same when their canonical forms have the same bytes, however they were spelt.
  public static func == (left: EmailAddress, right: EmailAddress) -> Bool {
    left.canonical == right.canonical
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(canonical)
  }
}

extension EmailAddress: CustomStringConvertible {
  public var description: String { asGiven }
}

extension EmailAddress {
  /// Why a text is not one e-mail address.
  public enum Invalid: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case tooLong
    case separator
    case emptyPart
    case forbiddenCharacter
    case invalidDomain

    /// A sentence for a person, without the address.
    public var description: String {
      switch self {
      case .tooLong: "An e-mail address has at most \(EmailAddress.bytesMax) bytes."
      case .separator: "An e-mail address has exactly one @."
      case .emptyPart: "An e-mail address has something on both sides of its @ and of every dot in its domain."
      case .forbiddenCharacter: "The e-mail address has a character that a bare address may not have."
      case .invalidDomain: "The domain of the e-mail address is not a valid one."
      }
    }
  }
}

extension EmailAddress {
  private static func unicodeCanonical(of text: String) throws(Invalid) -> ExactText {
    let composed = try checked(text)
    let parts = composed.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .separator }
    guard !parts[0].isEmpty, !parts[1].isEmpty else { throw .emptyPart }
    guard let localPart = UnicodeText.folded(String(Substring(parts[0]))) else { throw .forbiddenCharacter }
    let domain = try canonicalDomain(String(Substring(parts[1])))
    let canonical = ExactText("\(localPart)@\(domain)")
    guard canonical.byteCount <= bytesMax else { throw .tooLong }
    return canonical
  }

  /// Checks the text as it is, composed, and as what it could be taken for; returns the composed form.
  private static func checked(_ text: String) throws(Invalid) -> String {
    guard let composed = UnicodeText.composed(text), let compatible = UnicodeText.compatible(text) else {
      throw .forbiddenCharacter
    }
    for form in [text, composed, compatible] {
      guard form.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1 else { throw .separator }
      guard form.unicodeScalars.allSatisfy(AddressCharacters.allow) else { throw .forbiddenCharacter }
    }
    return composed
  }

  private static func canonicalDomain(_ domain: String) throws(Invalid) -> String {
    switch ASCIIAddressScan(domain: domain.utf8.span) {
    case .canonical: return domain
    case .hasUpperCase: return domain.asciiLowercased
    case .invalid(let reason): throw reason
    case .needsUnicode: break
    }
    guard let ascii = UnicodeText.asciiDomain(domain) else { throw .invalidDomain }
    switch ASCIIAddressScan(domain: ascii.utf8.span) {
    case .canonical, .needsUnicode: return ascii
    case .hasUpperCase: throw .invalidDomain
    case .invalid(let reason): throw reason
    }
  }
}
