import JSON
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.has("JSONTestSuite"), Comment(rawValue: Vectors.absence)))
struct JSONTestSuiteTests {
  private static let folder = "JSONTestSuite/test_parsing"

  /// Well-formed by the grammar, and refused on purpose: a name that stands twice, and U+0000.
  private static let refusedOnPurpose: Set<String> = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json", "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json",
  ]

  @Test func `every text that must be accepted is accepted but for duplicate keys and U+0000`() throws {
    let names = try Vectors.names(in: Self.folder).filter { $0.hasPrefix("y_") }
    #expect(names.count >= 95)
    for name in names {
      let text = try Vectors.bytes("\(Self.folder)/\(name)")
      if Self.refusedOnPurpose.contains(name) {
        #expect(isMalformed(text), "\(name)")
      } else {
        #expect(refusal(of: text) == nil, "\(name)")
      }
    }
  }

  @Test func `every text that must be refused is malformed`() throws {
    let names = try Vectors.names(in: Self.folder).filter { $0.hasPrefix("n_") }
    #expect(names.count >= 188)
    for name in names {
      #expect(isMalformed(try Vectors.bytes("\(Self.folder)/\(name)")), "\(name)")
    }
  }

  @Test func `texts left open by the standard are read or refused`() throws {
    for folder in [Self.folder, "JSONTestSuite/test_transform"] {
      for name in try Vectors.names(in: folder) where !name.hasPrefix("y_") && !name.hasPrefix("n_") {
        _ = refusal(of: try Vectors.bytes("\(folder)/\(name)"))
      }
    }
  }
}
