import Foundation
import TestSupport

extension Vectors {
  static func text(of path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  /// The rows of a table in the format of the Unicode character database: comments cut off, fields trimmed.
  ///
  /// Cut at scalars, not at characters: a combining mark after a semicolon would hide it.
  static func unicodeRows(of path: String) throws -> [[String]] {
    try text(of: path).unicodeScalars.split(separator: "\n").compactMap { line in
      let data = line.prefix { $0 != "#" }
      guard data.contains(";") else { return nil }
      return data.split(separator: ";", omittingEmptySubsequences: false).map {
        String(String.UnicodeScalarView($0)).trimmingCharacters(in: .whitespaces)
      }
    }
  }

  /// Reads `0041 030A`; nil when one of the numbers is no Unicode scalar value.
  static func string(fromHexadecimal numbers: String) -> String? {
    var result = String.UnicodeScalarView()
    for number in numbers.split(separator: " ") {
      guard let value = UInt32(number, radix: 16), let scalar = Unicode.Scalar(value) else { return nil }
      result.append(scalar)
    }
    return String(result)
  }
}
