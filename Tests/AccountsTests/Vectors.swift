import Foundation

/// Public test data that is read from where it lies and never copied; tests that need it are skipped where it is absent.
enum Vectors {
  /// The folder named by `KITH_VECTORS`, otherwise beside the package.
  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["KITH_VECTORS"] { return URL(fileURLWithPath: named) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    return package.appending(path: "../shared/vectors").standardized
  }()

  static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func text(of path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  static func data(of path: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: path))
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
