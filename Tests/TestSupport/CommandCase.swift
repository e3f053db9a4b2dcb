import FoundationEssentials
import Testing

/// One text case: a command line, what surrounds it, and what it must print.
///
/// The first line is the command line, in which double quotes keep blanks. Sections follow, each after a line
/// `--- NAME`: `width N`, `environment` (lines `NAME=VALUE`), `input` (what a person types), `stdout`, `stderr`, `exit N`.
public struct CommandCase: CustomTestStringConvertible, Sendable {
  public let name: String
  public let words: [String]
  private let sections: [String: String]

  public var testDescription: String { name }

  /// The cases of a folder, in the order of their names.
  public static func all(in folder: String) -> [CommandCase] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".case") }.sorted().compactMap { CommandCase(file: $0, in: folder) }
  }

  /// The folder `Cases` beside a test's source.
  public static func folder(beside source: String = #filePath) -> String {
    URL(filePath: source).deletingLastPathComponent().appending(path: "Cases").path
  }

  private init?(file: String, in folder: String) {
    guard let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(file)")) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    name = file
    let ended = text.hasSuffix("\n") ? text.dropLast() : text[...]
    let parts = ("\n" + ended).split(separator: "\n--- ", omittingEmptySubsequences: false)
    words = Self.split(parts[0].dropFirst())
    sections = parts.dropFirst().reduce(into: [:]) { sections, part in
      let title = part.prefix { $0 != "\n" }
      sections[String(title)] = part.dropFirst(title.count + 1) + "\n"
    }
  }

  public var output: String { section("stdout") }
  public var error: String { section("stderr") }
  public var exitCode: Int32 { number(after: "exit").flatMap(Int32.init(exactly:)) ?? 0 }
  public var width: Int? { number(after: "width") }
  public var input: [String]? { sections["input"]?.split(separator: "\n").map(String.init) }

  public var environment: [String: String] {
    section("environment").split(separator: "\n").reduce(into: [:]) { environment, line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      environment[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
  }

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
