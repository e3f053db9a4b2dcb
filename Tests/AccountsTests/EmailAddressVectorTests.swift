import Foundation
import TestSupport
import Testing

@testable import Accounts

/// Addresses made of public tables and lists.
@Suite(.enabled(if: Vectors.has("unicode"), Comment(rawValue: Vectors.absence)))
struct EmailAddressVectorTests {
  @Test func `attack 19, case folds as Unicode's own table says`() throws {
    var checked = 0
    var unknown = 0
    for row in try Vectors.unicodeRows(of: "unicode/CaseFolding.txt") where ["C", "F"].contains(row[1]) {
      let character = try #require(Vectors.string(fromHexadecimal: row[0]))
      let folded = try #require(Vectors.string(fromHexadecimal: row[2]))
      if character.unicodeScalars.contains(where: UnicodeText.isUnassigned) {
        #expect(throws: EmailAddress.Invalid.forbiddenCharacter) { try EmailAddress("x\(character)y@example.org") }
        unknown += 1
        continue
      }
      let expected = "x\(folded)y@example.org".precomposedStringWithCanonicalMapping
      #expect(try EmailAddress("x\(character)y@example.org").canonical == ExactText(expected), "U+\(row[0])")
      checked += 1
    }
    print("CaseFolding.txt: \(checked) checked, \(unknown) unknown to the installed libunistring and refused")
    #expect(checked > 1400)
  }

  @Test func `attack 19, confusable strings never share a canonical form unless folding makes them one`() throws {
    let table = try CaseFoldingTable()
    var locals: [ExactText: ExactText] = [:]
    var domains: [ExactText: Int] = [:]
    var refused = 0
    for row in try Vectors.unicodeRows(of: "unicode/confusables.txt") {
      let source = try #require(Vectors.string(fromHexadecimal: row[0]))
      if let address = try? EmailAddress("\(source)@example.org") {
        #expect(try EmailAddress(address.canonical.string).canonical == address.canonical)
        let folded = ExactText(table.folded(source))
        #expect(locals.updateValue(folded, forKey: address.canonical) ?? folded == folded, "\(row[0])")
        #expect(address.canonical == ExactText("\(folded)@example.org"), "\(row[0])")
      } else {
        refused += 1
      }
      if let address = try? EmailAddress("mira@\(source).example") {
        #expect(try EmailAddress(address.canonical.string).canonical == address.canonical)
        domains[address.canonical, default: 0] += 1
      }
    }
    print(
      "confusables.txt: \(locals.count) local parts and \(domains.count) domains differ, \(refused) sources refused")
    #expect(locals.count > 3000)
  }

  @Test func `a confusable address is not the address it looks like`() throws {
    for row in try Vectors.unicodeRows(of: "unicode/intentional.txt") {
      let pair = try row.map { try #require(Vectors.string(fromHexadecimal: $0)) }
      guard let first = try? EmailAddress("\(pair[0])@example.org"),
        let second = try? EmailAddress("\(pair[1])@example.org")
      else { continue }
      #expect(first != second, "\(row)")
    }
  }

  @Test func `naughty strings are refused or stable`() throws {
    let list = try JSONDecoder().decode([String].self, from: Data(Vectors.bytes("blns/blns.json")))
    #expect(list.count > 500)
    for text in list {
      for form in [text, "\(text)@example.org", "mira@\(text)", "mira@\(text).example", "mira\(text)"] {
        guard let address = try? EmailAddress(form) else { continue }
        #expect(try EmailAddress(address.canonical.string).canonical == address.canonical)
      }
    }
  }

  @Test(arguments: ["isemail/tests.xml", "isemail/tests-original.xml"])
  func `addresses that other parsers stumble over are refused or stable`(path: String) throws {
    let text = try Vectors.text(of: path)
    let addresses = text.matches(of: /<address>([^<]*)<\/address>/).map { unescaped(String($0.output.1)) }
    #expect(addresses.count > 160)
    for text in addresses {
      guard let address = try? EmailAddress(text) else { continue }
      #expect(try EmailAddress(address.canonical.string).canonical == address.canonical)
      #expect(!text.utf8.contains(where: " \"()<>[]:;,\\".utf8.contains))
    }
  }

  /// Undoes XML's escapes; U+2400 and on stand for the control characters.
  private func unescaped(_ text: String) -> String {
    var result = text.replacing(/&#x([0-9A-Fa-f]+);/) { match in
      let value = UInt32(match.output.1, radix: 16) ?? 0
      return Unicode.Scalar((0x2400...0x2421).contains(value) ? value - 0x2400 : value).map { String($0) } ?? ""
    }
    for (escape, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
      result = result.replacing(escape, with: character)
    }
    return result
  }
}
