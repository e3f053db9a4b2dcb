import JSON
import Terminal

/// What one check of `kith doctor` found.
struct Finding: Sendable {
  enum Verdict: String, Sendable {
    case ok
    case warning
    case failed
  }

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

  func lines(palette: Palette) -> [String] {
    let mark: String =
      switch verdict {
      case .ok: palette.good("ok  ")
      case .warning: palette.warning("warn")
      case .failed: palette.bad("FAIL")
      }
    let line = "\(mark)  \(subject): \(VisibleText(words).string)"
    return [line] + (remedy.map { ["      → \(VisibleText($0).string)"] } ?? [])
  }

  /// All findings as one JSON array.
  static func json(_ findings: [Finding]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.member("check")
      writer.string(finding.subject)
      writer.member("verdict")
      writer.string(finding.verdict.rawValue)
      writer.member("found")
      writer.string(finding.words)
      if let remedy = finding.remedy {
        writer.member("remedy")
        writer.string(remedy)
      }
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
