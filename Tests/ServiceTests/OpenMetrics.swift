/// Reads the OpenMetrics text format, version 1.0.0, and refuses what it does not allow.
struct OpenMetrics {
  struct Malformed: Error {
    let line: Substring
  }

  private var samples: [Substring: Double] = [:]

  /// The value of a sample, named with its labels.
  subscript(name: String) -> Double? { samples[Substring(name)] }

  init(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.suffix(2) == ["# EOF", ""] else { throw Malformed(line: lines.last ?? "") }
    var families: [Substring: Substring] = [:]
    var current: Substring = ""
    for line in lines.dropLast(2) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      if words[0] == "#" {
        guard words.count == 4 else { throw Malformed(line: line) }
        if words[1] == "TYPE" {
          guard families.updateValue(words[3], forKey: words[2]) == nil else { throw Malformed(line: line) }
          current = words[2]
        }
        // Every line about a family stands together, its unit ends its name.
        guard words[2] == current, words[1] != "UNIT" || current.hasSuffix("_" + words[3]) else {
          throw Malformed(line: line)
        }
        continue
      }
      try take(line, of: current, families[current] ?? "")
    }
  }

  private mutating func take(_ line: Substring, of family: Substring, _ type: Substring) throws {
    guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
      throw Malformed(line: line)
    }
    let sample = line[..<space]
    let suffix = sample.prefix { $0 != "{" }.dropFirst(family.count)
    let allowed: Set<Substring> =
      switch type {
      case "counter": ["_total"]
      case "gauge": [""]
      case "histogram": ["_bucket", "_count", "_sum"]
      default: []
      }
    guard sample.hasPrefix(family), allowed.contains(suffix), samples.updateValue(value, forKey: sample) == nil else {
      throw Malformed(line: line)
    }
  }
}
