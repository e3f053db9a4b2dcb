/// Which characters an e-mail address may have anywhere; the domain has narrower rules of its own.
enum AddressCharacters {
  static func allow(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return byte == UInt8(ascii: "@") || ASCIISet.localPart.contains(byte)
    }
    // How an unassigned character folds is not known yet; accepting it could make two of one address later.
    return scalar.isVisible
  }
}
