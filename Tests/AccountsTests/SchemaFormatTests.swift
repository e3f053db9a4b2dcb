import Accounts
import Foundation
import TestSupport
import Testing

/// The e-mail formats of JSON Schema, which allow all that a mail header may have; ours is one bare address.
@Suite(.enabled(if: Vectors.has("json-schema-formats"), Comment(rawValue: Vectors.absence)))
struct SchemaFormatTests {
  private struct Group: Decodable {
    let tests: [Case]
  }

  private struct Case: Decodable {
    let description: String
    /// Nil when the datum is no string.
    let text: String?
    let valid: Bool

    enum CodingKeys: String, CodingKey {
      case description, valid
      case text = "data"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      description = try container.decode(String.self, forKey: .description)
      valid = try container.decode(Bool.self, forKey: .valid)
      text = try? container.decode(String.self, forKey: .text)
    }
  }

  /// Valid there and refused by us.
  private static let refused: Set = [
    // Quoted local parts and domain literals are not bare addresses.
    "a quoted string with a space in the local part is valid",
    "a quoted string with a double dot in the local part is valid",
    "a quoted string with a @ in the local part is valid", "an IPv4-address-literal after the @ is valid",
    "an IPv6-address-literal after the @ is valid", "a non-ASCII quoted local part is valid",
    // Characters that nobody can see or type.
    "a C1 control in the local part is valid", "a noncharacter in the local part is valid",
  ]

  /// Invalid there and accepted by us: some carriers have handed out such addresses.
  private static let accepted: Set = [
    "dot before local part is not valid", "dot after local part is not valid",
    "two subsequent dots inside local part are not valid",
  ]

  @Test(arguments: ["email", "idn-email"])
  func `a schema's e-mail address is ours but for what is listed`(format: String) throws {
    let data = Data(try Vectors.bytes("json-schema-formats/\(format).json"))
    let cases = try JSONDecoder().decode([Group].self, from: data).flatMap(\.tests)
    #expect(cases.count > 15)
    for test in cases {
      guard let text = test.text else { continue }
      let expected =
        (test.valid || Self.accepted.contains(test.description)) && !Self.refused.contains(test.description)
      #expect(((try? EmailAddress(text)) != nil) == expected, "\(test.description)")
    }
  }
}
