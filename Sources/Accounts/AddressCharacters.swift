/// Which characters an e-mail address may have anywhere; the domain has narrower rules of its own.
enum AddressCharacters {
  static func allow(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return byte == UInt8(ascii: "@") || ASCIISet.localPart.contains(byte)
    }
    let properties = scalar.properties
    return isVisible(properties.generalCategory) && !properties.isWhitespace
      && !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
      && !UnicodeText.isUnassigned(scalar)
  }

  /// Not control, formatting (bidirectional and zero-width characters are), separator, private use or unassigned.
  ///
  /// How an unassigned character folds is not known yet; accepting it could make two of one address later.
  private static func isVisible(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      false
    default: true
    }
  }
}
