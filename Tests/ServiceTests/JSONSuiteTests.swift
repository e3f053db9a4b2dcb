import TestSupport
import Testing

/// Every text of the public JSON suite as one line of a connection.
///
/// A newline ends a line, so a text that holds some is sent with spaces in their place where its meaning allows it: between
/// tokens both are white space. Where a newline itself is what is wrong, what follows it is a line of its own; then the line
/// that holds the fault is looked at.
@Suite(.enabled(if: Vectors.has("JSONTestSuite"), Comment(rawValue: Vectors.absence)))
struct JSONSuiteTests {
  private static let folder = "JSONTestSuite/test_parsing"
  private static let parseError = -32700

  /// Well-formed by the grammar, and refused on purpose: a name that stands twice, and U+0000.
  private static let refusedOnPurpose: Set<String> = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json", "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json",
  ]

  /// A newline in the middle of a token is what makes these wrong; with a space they would be right or wrong otherwise, and
  /// as lines each half is wrong by itself.
  private static let brokenByNewline: Set<String> = ["n_string_unescaped_newline.json"]

  /// Nothing but white space: a line without a message is refused as well.
  @Test func `texts of the suite are accepted and refused over the socket as it says`() async throws {
    try await TestService.withPeer { _, peer in
      let names = try Vectors.names(in: Self.folder)
      #expect(names.count >= 318)
      for name in names {
        let code = try await self.code(of: name, through: peer)
        switch name.first {
        case "y" where !Self.refusedOnPurpose.contains(name): #expect(code != Self.parseError, "\(name)")
        case "i": break
        default: #expect(code == Self.parseError || Self.isTooDeep(name, code), "\(name)")
        }
      }
      #expect(try await peer.call("system.ping").result != nil)
    }
  }

  /// A hundred thousand brackets that are never closed are too deep before they are known to be wrong.
  private static func isTooDeep(_ name: String, _ code: Int?) -> Bool {
    ["n_structure_100000_opening_arrays.json", "n_structure_open_array_object.json"].contains(name) && code == 1004
  }

  private func code(of name: String, through peer: TestPeer) async throws -> Int? {
    let text = try Vectors.bytes("\(Self.folder)/\(name)")
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    if Self.brokenByNewline.contains(name) {
      peer.send(bytes: text + [0x0A])
      let answers = try await peer.answers(lines.count)
      return answers.allSatisfy { $0.code == Self.parseError } ? Self.parseError : answers.last?.code
    }
    peer.send(bytes: Array(lines.joined(separator: [0x20])) + [0x0A])
    let answer = try await peer.answer()
    return answer.code ?? answer.json[0]?["error"]?["code"]?.integer
  }
}
