import Foundation
import Testing

/// One text case: a command line, what surrounds it, and what it must print.
///
/// The first line is the command line, in which double quotes keep blanks. Sections follow, each after a line
/// `--- NAME`: `width N`, `input` (what a person types), `stdout`, `stderr`, `exit N`.
struct CommandCase: CustomTestStringConvertible, Sendable {
  let name: String
  let words: [String]
  private let sections: [String: String]

  var testDescription: String { name }

  static let all: [CommandCase] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".case") }.sorted().compactMap(CommandCase.init(file:))
  }()

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Cases")

  private init?(file: String) {
    guard let text = try? String(contentsOf: Self.folder.appending(path: file), encoding: .utf8) else { return nil }
    name = file
    let parts = ("\n" + text).split(separator: "\n--- ", omittingEmptySubsequences: false)
    words = Self.split(parts[0].dropFirst())
    sections = parts.dropFirst().reduce(into: [:]) { sections, part in
      let title = part.prefix { $0 != "\n" }
      sections[String(title)] = part.dropFirst(title.count + 1) + (part.hasSuffix("\n") ? "" : "\n")
    }
  }

  var output: String { section("stdout") }
  var error: String { section("stderr") }
  var exitCode: Int32 { number(after: "exit").flatMap(Int32.init(exactly:)) ?? 0 }
  var width: Int? { number(after: "width") }
  var input: [String]? { sections["input"]?.split(separator: "\n").map(String.init) }

  private func section(_ title: String) -> String {
    let text = sections[title] ?? ""
    return text == "\n" ? "" : text
  }

  private func number(after word: String) -> Int? {
    sections.keys.first { $0.hasPrefix(word + " ") }.flatMap { Int($0.dropFirst(word.count + 1)) }
  }

  private static func split(_ line: Substring) -> [String] {
    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index.isMultiple(of: 2) ? part.split(whereSeparator: \.isWhitespace).map(String.init) : [String(part)]
    }
  }
}
