import Foundation
import TestSupport
import Testing

@testable import Accounts

/// Domains of addresses against Unicode's conformance test for UTS #46, non-transitional.
@Suite(.enabled(if: Vectors.has("unicode"), Comment(rawValue: Vectors.absence)))
struct DomainVectorTests {
  /// Why a domain that the table calls valid is refused.
  private enum Refused: String, CaseIterable {
    /// An address has no final dot; with it one address would have two forms.
    case finalDot
    /// An address of 254 bytes leaves no room for it.
    case tooLong
    /// It is written with characters that cannot be seen; its encoded form is accepted where it has one.
    case invisible
    /// IDNA 2008 disallows a character, mostly a symbol, that UTS #46 lets pass; so do registries.
    case idna2008
  }

  /// Why a domain that the table calls invalid is accepted.
  private enum Accepted: String, CaseIterable {
    /// The library applies the rule for text in two directions (RFC 5893) to each label by itself and in parts. It keeps
    /// names readable; two names never become one by it.
    case bidirectional
    /// `ab--cd`: host names like this exist.
    case hyphens
  }

  private struct Row {
    let source: String
    let ascii: String
    let errors: Set<String>

    /// Nil when a field stands for a lone surrogate, which no string has.
    init?(_ fields: [String]) {
      guard let source = Self.unescaped(fields[0]) else { return nil }
      let unicode = fields[1].isEmpty ? source : Self.unescaped(fields[1])
      guard let ascii = fields[3].isEmpty ? unicode : Self.unescaped(fields[3]) else { return nil }
      self.source = source
      self.ascii = ascii
      let status = fields[4].isEmpty ? fields[2] : fields[4]
      errors = Set(status.split { "[], ".contains($0) }.map(String.init))
    }

    private static func unescaped(_ field: String) -> String? {
      var isWhole = true
      let result = field.replacing(/\\(?:u([0-9A-F]{4})|x\{([0-9A-F]+)\})/) { match in
        let digits = match.output.1 ?? match.output.2 ?? ""
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        isWhole = isWhole && scalar != nil
        return scalar.map { String($0) } ?? ""
      }
      return isWhole ? result : nil
    }
  }

  @Test func `a domain comes to the ASCII form of the conformance test or is refused for a listed reason`() throws {
    var same = 0
    var bothRefuse = 0
    var refused: [Refused: Int] = [:]
    var accepted: [Accepted: Int] = [:]
    for row in try Vectors.unicodeRows(of: "unicode/IdnaTestV2-13.0.0.txt").compactMap(Row.init) {
      let domain = (try? EmailAddress("x@" + row.source)).map { $0.canonical.string.dropFirst(2) }
      switch (domain, row.errors.isEmpty) {
      case (let domain?, true):
        #expect(domain.utf8.elementsEqual(row.ascii.utf8), "\(row)")
        same += 1
      case (nil, true): refused[try #require(reason(forRefusing: row), "\(row)"), default: 0] += 1
      case (_?, false): accepted[try #require(reason(forAccepting: row), "\(row)"), default: 0] += 1
      case (nil, false): bothRefuse += 1
      }
    }
    print("IdnaTestV2: \(same) same, \(bothRefuse) refused by both, deviations: \(told(refused)), \(told(accepted))")
    #expect(same > 250)
    #expect(bothRefuse > 5000)
  }

  private func told<Reason: RawRepresentable<String>>(_ counts: [Reason: Int]) -> String {
    counts.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", ")
  }

  private func reason(forRefusing row: Row) -> Refused? {
    if row.ascii.hasSuffix(".") { return .finalDot }
    if row.ascii.utf8.count + 2 > EmailAddress.bytesMax { return .tooLong }
    let isInvisible = row.source.unicodeScalars.contains { scalar in
      scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }
    if isInvisible { return .invisible }
    return UnicodeText.asciiDomain(row.source) == nil ? .idna2008 : nil
  }

  private func reason(forAccepting row: Row) -> Accepted? {
    if row.errors.isSubset(of: ["B1", "B2", "B3", "B4", "B5", "B6"]) { return .bidirectional }
    return row.errors == ["V2"] && row.source.utf8.allSatisfy { $0 < 0x80 } ? .hyphens : nil
  }
}
