import Foundation
import Testing

/// One text case: a configuration, and the errors it must give.
struct ConfigurationCase: CustomTestStringConvertible, Sendable {
  let name: String
  let input: String
  let expected: String

  var testDescription: String { name }

  /// Every `NAME.case` of the folder `Cases`: the input, a line `----`, the errors.
  static let all: [ConfigurationCase] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".case") }.sorted().compactMap(read)
  }()

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Cases")

  private static func read(_ name: String) -> ConfigurationCase? {
    guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { return nil }
    let parts = text.split(separator: "\n----\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    return ConfigurationCase(
      name: name, input: parts[0] + "\n", expected: parts[1].trimmingCharacters(in: .newlines))
  }
}
