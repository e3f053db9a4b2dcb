import CLibIDN

/// The Unicode algorithms that addresses and names need, from libunistring and libidn2: the one file that calls C.
enum UnicodeText {
  /// Normalisation form C, or nil when memory runs out.
  static func composed(_ text: String) -> String? {
    transformed(text, by: kith_nfc)
  }

  /// Normalisation form KC, which shows what a character could be taken for, or nil when memory runs out.
  static func compatible(_ text: String) -> String? {
    transformed(text, by: kith_nfkc)
  }

  /// Full case folding (C+F) in normalisation form C, to a fixed point: folding the result again changes nothing.
  ///
  /// One round is not always enough, because composing can bring back a character that folds again. Nil when the
  /// rounds do not settle or memory runs out.
  static func folded(_ text: String) -> String? {
    guard var current = composed(text) else { return nil }
    for _ in 0..<foldingRoundsMax {
      guard let next = transformed(current, by: kith_casefold_nfc) else { return nil }
      if next.utf8.elementsEqual(current.utf8) { return current }
      current = next
    }
    return nil
  }

  /// No assigned character is known to need more than two rounds and a third that confirms.
  private static let foldingRoundsMax = 4

  /// The ASCII form of a domain by UTS #46, non-transitional, with IDNA 2008's rules for labels; nil when it has none.
  ///
  /// A second pass must leave the result of the first as it is. Only that one has `IDN2_USE_STD3_ASCII_RULES`, because
  /// with it the library *drops* what the rules forbid and would make `example.org` of `exa_mple.org`. Letters, digits
  /// and hyphens of the result remain to be checked.
  static func asciiDomain(_ domain: String) -> String? {
    let flags = IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue
    guard let ascii = looked(up: domain, flags: flags),
      let again = looked(up: ascii, flags: flags | IDN2_USE_STD3_ASCII_RULES.rawValue)
    else { return nil }
    return ascii.utf8.elementsEqual(again.utf8) ? ascii : nil
  }

  private static func looked(up domain: String, flags: UInt32) -> String? {
    var result: UnsafeMutablePointer<UInt8>?
    let status = domain.withCString(encodedAs: UTF8.self) { idn2_lookup_u8($0, &result, CInt(flags)) }
    guard let result else { return nil }
    let owner = CBytes(result, freedBy: idn2_free)
    return status == CInt(IDN2_OK.rawValue) ? String(cString: owner.start) : nil
  }

  /// Whether the library's version of Unicode does not know the character, and so cannot say how it folds.
  static func isUnassigned(_ scalar: Unicode.Scalar) -> Bool {
    uc_is_property_unassigned_code_value(scalar.value)
  }

  private typealias Transformation = (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<
    UInt8
  >?

  private static func transformed(_ text: String, by transformation: Transformation) -> String? {
    var text = text
    return text.withUTF8 { bytes -> String? in
      var count = 0
      guard let result = transformation(bytes.baseAddress, bytes.count, &count) else { return nil }
      let owner = CBytes(result, freedBy: free)
      return String(decoding: UnsafeBufferPointer(start: owner.start, count: count), as: UTF8.self)
    }
  }
}

/// Bytes that a C library allocated, given back when the owner goes.
private struct CBytes: ~Copyable {
  let start: UnsafeMutablePointer<UInt8>
  private let release: (UnsafeMutableRawPointer?) -> Void

  init(_ start: UnsafeMutablePointer<UInt8>, freedBy release: @escaping (UnsafeMutableRawPointer?) -> Void) {
    self.start = start
    self.release = release
  }

  deinit { release(start) }
}
