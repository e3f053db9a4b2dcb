import Foundation
import TestSupport

/// A file of Wycheproof test vectors, as far as it is of use here.
struct Wycheproof<Case: Decodable>: Decodable {
  struct Group: Decodable {
    /// Bits.
    let keySize: Int
    /// Bits; nil where there is none.
    let ivSize: Int?
    let tagSize: Int?
    let tests: [Case]
  }

  let numberOfTests: Int
  let testGroups: [Group]

  static func read(_ name: String) throws -> Wycheproof {
    try JSONDecoder().decode(Self.self, from: Data(Vectors.bytes("wycheproof/\(name).json")))
  }
}

/// Bytes that are written in hexadecimal digits.
struct Hex: Decodable {
  let bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let digits = Array(try decoder.singleValueContainer().decode(String.self).utf8)
    bytes = try stride(from: 0, to: digits.count, by: 2).map { start in
      guard let byte = UInt8(String(decoding: digits[start..<min(start + 2, digits.count)], as: UTF8.self), radix: 16)
      else { throw CocoaError(.coderReadCorrupt) }
      return byte
    }
  }
}
