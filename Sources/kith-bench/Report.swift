import Foundation

/// The table at the end: what was measured, against what is promised.
struct Report {
  private struct Row {
    let name: String
    let pgbench: String
    let kith: String
    let ratio: String
    let least: String
    let wanted: String
    let isMet: Bool
  }

  private var rows: [Row] = []

  var isMet: Bool { rows.allSatisfy(\.isMet) }

  /// A ratio of rates, where more is better.
  mutating func add(rate name: String, pgbench: Double, kith: Double, least: Double, wanted: Double) {
    let ratio = kith / pgbench
    rows.append(
      Row(
        name: name, pgbench: "\(Int(pgbench))/s", kith: "\(Int(kith))/s", ratio: Self.two(ratio),
        least: "≥ \(least)", wanted: "\(wanted)", isMet: ratio >= least))
  }

  /// A ratio of latencies, where less is better.
  mutating func add(latency name: String, pgbench: Double, kith: Double, most: Double, wanted: Double) {
    let ratio = kith / pgbench
    rows.append(
      Row(
        name: name, pgbench: "\(Int(pgbench)) µs", kith: "\(Int(kith)) µs", ratio: Self.two(ratio),
        least: "≤ \(most)", wanted: "≤ \(wanted)", isMet: ratio <= most))
  }

  /// A figure of the daemon alone, where less is better.
  mutating func add(figure name: String, _ value: Double, _ unit: String, most: Double, wanted: Double) {
    rows.append(
      Row(
        name: name, pgbench: "", kith: "\(Self.two(value)) \(unit)", ratio: "", least: "≤ \(Self.two(most))",
        wanted: "≤ \(Self.two(wanted))", isMet: value <= most))
  }

  func print() {
    let heading = ["", "pgbench", "kithd", "ratio", "at least", "going to", ""]
    let cells = [heading] + rows.map { [$0.name, $0.pgbench, $0.kith, $0.ratio, $0.least, $0.wanted, $0.isMet ? "" : "below"] }
    let widths = heading.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    for row in cells {
      let line = zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }
      Swift.print(line.joined(separator: "  "))
    }
  }

  static func two(_ value: Double) -> String {
    value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
  }
}
