/// What one look at the bytes of an address or a domain says of it, without calling any library.
///
/// Almost every address is ASCII, and most are lower case already: those are done after this one pass.
enum ASCIIAddressScan: Equatable {
  /// It is its own canonical form.
  case canonical
  /// Lower-casing ASCII letters gives the canonical form.
  case hasUpperCase
  /// It has a character beyond ASCII, or a label that claims to be encoded (`xn--`).
  case needsUnicode
  case invalid(EmailAddress.Invalid)

  /// Looks at a whole address.
  init(address bytes: Span<UInt8>) {
    var hasUpperCase = false
    for position in bytes.indices {
      let byte = bytes[position]
      if byte == UInt8(ascii: "@") {
        let domain = Self(domain: bytes.extracting((position + 1)...))
        self = position == 0 ? .invalid(.emptyPart) : hasUpperCase && domain == .canonical ? .hasUpperCase : domain
        return
      }
      guard byte < 0x80 else {
        self = .needsUnicode
        return
      }
      guard ASCIISet.localPart.contains(byte) else {
        self = .invalid(.forbiddenCharacter)
        return
      }
      hasUpperCase = hasUpperCase || ASCIISet.upperCase.contains(byte)
    }
    self = .invalid(.separator)
  }

  /// Looks at a domain: labels of letters, digits and inner hyphens, with dots between them.
  ///
  /// An ASCII domain is looked at to its end, encoded labels or not, so that ``needsUnicode`` for one means that it has
  /// nothing but such labels.
  init(domain bytes: Span<UInt8>) {
    var hasUpperCase = false
    var hasEncodedLabel = false
    var labelStart = 0
    for position in 0...bytes.count {
      if position == bytes.count || bytes[position] == UInt8(ascii: ".") {
        let label = bytes.extracting(labelStart..<position)
        if let reason = Self.fault(ofLabel: label) {
          self = .invalid(reason)
          return
        }
        hasEncodedLabel = hasEncodedLabel || Self.isEncoded(label)
        labelStart = position + 1
        continue
      }
      let byte = bytes[position]
      guard byte < 0x80 else {
        self = .needsUnicode
        return
      }
      guard ASCIISet.domainLabel.contains(byte) else {
        self = .invalid(byte == UInt8(ascii: "@") ? .separator : .invalidDomain)
        return
      }
      hasUpperCase = hasUpperCase || ASCIISet.upperCase.contains(byte)
    }
    self = hasEncodedLabel ? .needsUnicode : hasUpperCase ? .hasUpperCase : .canonical
  }

  /// The length of a label in the domain name system.
  private static let labelBytesMax = 63

  private static func fault(ofLabel label: Span<UInt8>) -> EmailAddress.Invalid? {
    let hyphen = UInt8(ascii: "-")
    guard !label.isEmpty else { return .emptyPart }
    let isFit = label.count <= labelBytesMax && label[0] != hyphen && label[label.count - 1] != hyphen
    return isFit ? nil : .invalidDomain
  }

  private static func isEncoded(_ label: Span<UInt8>) -> Bool {
    label.count >= 4 && label[2] == UInt8(ascii: "-") && label[3] == UInt8(ascii: "-")
      && label[0] | 0x20 == UInt8(ascii: "x") && label[1] | 0x20 == UInt8(ascii: "n")
  }
}
