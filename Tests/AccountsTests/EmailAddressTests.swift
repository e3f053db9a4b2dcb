import Accounts
import Foundation
import Testing

struct EmailAddressTests {
  @Test(arguments: [
    ("mira@example.org", "mira@example.org"), ("Mira.Holm+tag@Example.ORG", "mira.holm+tag@example.org"),
    ("m@localhost", "m@localhost"), ("m..h.@carrier.example", "m..h.@carrier.example"),
    ("!#$%&'*+-/=?^_`{|}~@a-b.example", "!#$%&'*+-/=?^_`{|}~@a-b.example"), ("m@ab--cd.example", "m@ab--cd.example"),
    ("MÜLLER@example.org", "müller@example.org"), ("stra\u{DF}e@example.org", "strasse@example.org"),
    ("STRA\u{1E9E}E@example.org", "strasse@example.org"), ("m@fa\u{DF}.example", "m@xn--fa-hia.example"),
    ("m@B\u{FC}cher.example", "m@xn--bcher-kva.example"), ("m@XN--BCHER-KVA.example", "m@xn--bcher-kva.example"),
    ("m@bu\u{308}cher.example", "m@xn--bcher-kva.example"), ("jose\u{301}@example.org", "jos\u{E9}@example.org"),
    ("\u{212A}im@example.org", "kim@example.org"), ("m@\u{212A}.example", "m@k.example"),
    ("실례@실례.테스트", "실례@xn--9n2bp8q.xn--9t4b11yi5a"), ("m@a\u{3002}b\u{FF0E}example", "m@a.b.example"),
    ("\u{130}ris@example.org", "i\u{307}ris@example.org"), ("\u{3A3}\u{3C2}@example.org", "\u{3C3}\u{3C3}@example.org"),
  ])
  func `an address has one canonical form`(text: String, canonical: String) throws {
    let address = try EmailAddress(text)
    #expect(address.canonical == ExactText(canonical))
    #expect(ExactText(address.asGiven) == ExactText(text))
    #expect(try EmailAddress(canonical).canonical == ExactText(canonical))
  }

  @Test(
    arguments: [
      ("", .separator), ("mira", .separator), ("@", .emptyPart), ("@example.org", .emptyPart), ("mira@", .emptyPart),
      ("mira@.example", .emptyPart), ("mira@example..org", .emptyPart), ("mira@example.org.", .emptyPart),
      ("é@", .emptyPart), ("@é.example", .emptyPart), ("a@b@example.org", .separator), ("é@b@example.org", .separator),
      ("mira@example.org,noah@example.org", .invalidDomain), ("Mira <mira@example.org>", .forbiddenCharacter),
      ("<mira@example.org>", .forbiddenCharacter), ("\"mira\"@example.org", .forbiddenCharacter),
      ("mira(work)@example.org", .forbiddenCharacter), ("mailto:mira@example.org", .forbiddenCharacter),
      ("mira@[127.0.0.1]", .invalidDomain), ("mira@[IPv6:::1]", .invalidDomain),
      ("mira @example.org", .forbiddenCharacter),
      (" mira@example.org", .forbiddenCharacter), ("mira@example.org\n", .invalidDomain),
      ("mira@example.org\u{0}", .invalidDomain), ("mi\u{0}ra@example.org", .forbiddenCharacter),
      ("mira\u{A0}@example.org", .forbiddenCharacter), ("mira\u{3000}@example.org", .forbiddenCharacter),
      ("mi\u{200B}ra@example.org", .forbiddenCharacter), ("mira@exam\u{AD}ple.org", .forbiddenCharacter),
      ("mi\u{202E}ra@example.org", .forbiddenCharacter), ("mi\u{FFFE}ra@example.org", .forbiddenCharacter),
      ("mi\u{E000}ra@example.org", .forbiddenCharacter), ("mi\u{378}ra@example.org", .forbiddenCharacter),
      ("mi\u{85}ra@example.org", .forbiddenCharacter), ("mi\u{2028}ra@example.org", .forbiddenCharacter),
      ("a\u{37E}b@example.org", .forbiddenCharacter), ("a<\u{338}b@example.org", .forbiddenCharacter),
      ("mi\u{FF0C}ra@example.org", .forbiddenCharacter), ("mi\u{FF02}ra@example.org", .forbiddenCharacter),
      ("mira@exa_mple.org", .invalidDomain), ("mira@-a.example", .invalidDomain), ("mira@a-.example", .invalidDomain),
      ("mira@xn--a.example", .invalidDomain), ("mira@xn--abc-.example", .invalidDomain),
      ("mira@xn--1ch.example", .invalidDomain), ("mira@\u{2260}.example", .invalidDomain),
      ("mira@xn--bcher-kva.exa_mple", .invalidDomain), ("mira@b\u{FC}cher.exa_mple", .invalidDomain),
      ("mira@\u{2603}.example", .invalidDomain), ("mira@\u{301}a.example", .invalidDomain),
      ("mira@\u{2100}.example", .invalidDomain),
    ] as [(String, EmailAddress.Invalid)])
  func `anything but one bare address is refused`(text: String, reason: EmailAddress.Invalid) {
    #expect(throws: reason) { try EmailAddress(text) }
  }

  @Test func `a forbidden character in a domain is refused and never dropped`() throws {
    for scalar in (0x00...0xFF).compactMap({ Unicode.Scalar(UInt32($0)) }) {
      for text in ["mira@exa\(scalar)mple.org", "mira@b\u{FC}\(scalar)cher.org"] {
        guard let address = try? EmailAddress(text) else { continue }
        // Superscript digits are digits to IDNA, and the middle dot stands between letters.
        let isFit =
          scalar.properties.isAlphabetic || "0123456789-.\u{B2}\u{B3}\u{B7}\u{B9}".unicodeScalars.contains(scalar)
        #expect(isFit, "\(text)")
        #expect(address.canonical != "mira@example.org" && address.canonical != "mira@xn--bcher-kva.org")
      }
    }
  }

  @Test func `254 bytes are the most, as given and in canonical form`() throws {
    let domain = "@" + String(repeating: "d", count: 61) + ".example"
    func address(_ count: Int) -> String { String(repeating: "m", count: count - domain.utf8.count) + domain }
    #expect(try EmailAddress(address(254)).canonical.byteCount == 254)
    #expect(throws: EmailAddress.Invalid.tooLong) { try EmailAddress(address(255)) }
    // Each of these two bytes folds to three.
    let growing = String(repeating: "\u{149}", count: 100) + "@example.org"
    #expect(throws: EmailAddress.Invalid.tooLong) { try EmailAddress(growing) }
    #expect(throws: EmailAddress.Invalid.invalidDomain) {
      try EmailAddress("m@" + String(repeating: "d", count: 64) + ".example")
    }
  }

  @Test func `addresses are the same by their canonical bytes`() throws {
    #expect(try EmailAddress("Mira@Example.org") == EmailAddress("mira@example.ORG"))
    #expect(try EmailAddress("mira+a@example.org") != EmailAddress("mira@example.org"))
    #expect(try EmailAddress("m.ira@example.org") != EmailAddress("mira@example.org"))
    #expect(try Set([EmailAddress("M@example.org"), EmailAddress("m@example.org")]).count == 1)
    let stored = EmailAddress(storedAsGiven: "Mira@example.org", canonical: "mira@example.org")
    #expect(try stored == EmailAddress("mira@example.org"))
  }

  @Test func `every reason is a sentence`() {
    for reason in EmailAddress.Invalid.allCases {
      #expect(reason.description.hasSuffix("."))
    }
  }

  @Test func `attack 20, what becomes an at sign by normalising is refused`() throws {
    for sign in ["\u{FF20}", "\u{FE6B}"] {
      for text in ["mira\(sign)example.org", "mi\(sign)ra@example.org", "mira@exa\(sign)mple.org"] {
        #expect(throws: EmailAddress.Invalid.separator) { try EmailAddress(text) }
      }
    }
    let lookalikes = (0x80...0x2_FFFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter { scalar in
      String(scalar).precomposedStringWithCompatibilityMapping.utf8.contains(UInt8(ascii: "@"))
    }
    #expect(lookalikes == ["\u{FE6B}", "\u{FF20}"])
  }

  @Test func `attack 21, a list of addresses is refused`() {
    for text in [
      "mira@example.org,eve@example.net", "mira@example.org;eve@example.net", "mira@example.org eve@example.net",
      "[\"mira@example.org\",\"eve@example.net\"]", "mira,eve@example.net", "mira@example.org\neve@example.net",
      "mira@example.org\u{FF0C}eve@example.net", "mira@example.org%00,eve@example.net",
    ] {
      #expect(throws: EmailAddress.Invalid.self, "\(text)") { try EmailAddress(text) }
    }
  }
}
