import Configuration
import JSON

/// Looks whether a keyset is one: keys of 32 bytes, exactly one of them primary. What the keys are stays unsaid.
enum KeysetCheck {
  private static let keyBytes = 32
  private static let states = ["primary", "decrypt_only", "retired"]

  static func finding(_ keyset: Secret) -> Finding {
    guard let problem = problem(in: keyset.revealedBytes) else { return .ok("keyset", "one primary key") }
    return .failed("keyset", problem, remedy: "restore it from your backup")
  }

  private static func problem(in text: [UInt8]) -> String? {
    let parser = JSONParser()
    return withExtendedLifetime(parser) {
      text.withUnsafeBytes { bytes in
        guard let root = try? parser.parse(bytes, nestingMax: 8), root.isObject else { return "it is not JSON" }
        guard root.member("version")?.integer == 1 else { return "its version is not 1" }
        guard let keys = root.member("keys"), keys.isArray, keys.count > 0 else { return "it has no keys" }
        var primaries = 0
        for key in keys.elements {
          guard key.member("id")?.isString == true else { return "a key has no id" }
          guard let state = states.first(where: { key.member("state")?.string == $0 }) else {
            return "a key has no known state"
          }
          guard key.member("key")?.withUTF8({ decodedCount($0) }) == keyBytes else { return "a key has not 32 bytes" }
          if state == "primary" { primaries += 1 }
        }
        return primaries == 1 ? nil : "it has \(primaries) primary keys instead of one"
      }
    }
  }

  /// How many bytes standard base64 stands for; nil for text that is none.
  private static func decodedCount(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let digits = text.dropLast(padding)
    let isDigits = digits.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
    return isDigits && text.count % 4 == 0 && padding <= 2 ? digits.count * 3 / 4 : nil
  }
}
