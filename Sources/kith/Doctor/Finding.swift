import JSON
import Terminal

/// What one check of `kith doctor` found.
struct Finding: Hashable, Sendable {
  enum Verdict: String, Sendable {
    case ok
    case warning
    case failed
  }

  /// What words and remedies stand behind, `FAIL  ` and `      → `.
  private static let markWidth = 6
  private static let arrowWidth = 8

  let subject: String
  let verdict: Verdict
  let words: String
  /// What to do about it.
  let remedy: String?

  static func ok(_ subject: String, _ words: String) -> Finding {
    Finding(subject: subject, verdict: .ok, words: words, remedy: nil)
  }

  static func warning(_ subject: String, _ words: String, remedy: String) -> Finding {
    Finding(subject: subject, verdict: .warning, words: words, remedy: remedy)
  }

  static func failed(_ subject: String, _ words: String, remedy: String) -> Finding {
    Finding(subject: subject, verdict: .failed, words: words, remedy: remedy)
  }

  func lines(widthMax: Int?, palette: Palette) -> [String] {
    let mark: String =
      switch verdict {
      case .ok: palette.good("ok")
      case .warning: palette.warning("warn")
      case .failed: palette.bad("FAIL")
      }
    let padding = verdict == .ok ? "    " : "  "
    return Self.indented("\(subject): \(words)", behind: mark + padding, Self.markWidth, widthMax)
      + (remedy.map { Self.indented($0, behind: "      → ", Self.arrowWidth, widthMax) } ?? [])
  }

  private static func indented(_ text: String, behind start: String, _ width: Int, _ widthMax: Int?) -> [String] {
    let lines = VisibleText(text).lines(widthMax: widthMax.map { max($0 - width, 1) })
    return lines.enumerated().map { ($0.offset == 0 ? start : String(repeating: " ", count: width)) + $0.element }
  }

  /// All findings as one JSON document.
  static func json(_ findings: [Finding]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for finding in findings { finding.write(into: &writer) }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("check")
    writer.string(subject)
    writer.member("verdict")
    writer.string(verdict.rawValue)
    writer.member("found")
    writer.string(words)
    if let remedy {
      writer.member("remedy")
      writer.string(remedy)
    }
    writer.endObject()
  }
}
