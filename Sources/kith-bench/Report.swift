/// The table that is printed at the end.
struct Report {
  /// What a figure must be.
  enum Bound {
    case atLeast(Double, goal: Double)
    case atMost(Double, goal: Double)

    func isKept(by figure: Double) -> Bool {
      switch self {
      case .atLeast(let bound, _): figure >= bound
      case .atMost(let bound, _): figure <= bound
      }
    }

    fileprivate func texts(_ unit: String) -> [String] {
      switch self {
      case .atLeast(let bound, let goal): ["\(bound)\(unit)", "\(goal)\(unit)"]
      case .atMost(let bound, let goal): ["≤ \(bound)\(unit)", "≤ \(goal)\(unit)"]
      }
    }
  }

  private var rows = [["metric", "pgbench", "kithd", "ratio", "at least", "going to", "p50 µs", "p99 µs", "p99.9 µs"]]
  /// The metrics whose bound is missed.
  private(set) var missed: [String] = []

  /// A comparison; the bound is on the ratio of the second to the first.
  ///
  /// - Parameter pgbench: nil for a ratio to another figure of the daemon.
  mutating func compare(
    _ metric: String, _ pgbench: Double?, _ kithd: Double, ratio: Double? = nil, bound: Bound? = nil,
    latency: LatencyHistogram? = nil, decimals: Int = 0
  ) {
    let ratio = ratio ?? pgbench.map { $0 > 0 ? kithd / $0 : 0 } ?? 0
    add(
      metric, [pgbench?.text(decimals) ?? "", kithd.text(decimals), ratio.text(2)], bound?.texts("") ?? ["", ""],
      latency,
      isKept: bound?.isKept(by: ratio) ?? true)
  }

  /// A figure of the daemon alone; the bound is on the figure.
  mutating func tell(_ metric: String, _ kithd: Double, unit: String, decimals: Int = 1, bound: Bound? = nil) {
    add(
      metric, ["", "\(kithd.text(decimals)) \(unit)", ""], bound?.texts(" \(unit)") ?? ["", ""], nil,
      isKept: bound?.isKept(by: kithd) ?? true)
  }

  private mutating func add(
    _ metric: String, _ figures: [String], _ bounds: [String], _ latency: LatencyHistogram?, isKept: Bool
  ) {
    if !isKept { missed.append(metric) }
    let shares = latency.map { latency in [0.5, 0.99, 0.999].map { latency.microseconds(at: $0).text(0) } }
    rows.append([metric] + figures + bounds + (shares ?? ["", "", ""]))
  }

  /// As Markdown, so that it can be kept.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = rows.map { row in
      "| "
        + zip(row, widths).enumerated().map { column, cell in
          let space = String(repeating: " ", count: cell.1 - cell.0.count)
          return column == 0 ? cell.0 + space : space + cell.0
        }.joined(separator: " | ") + " |"
    }
    let rule = widths.enumerated().map { column, width in
      column == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    lines.insert("| " + rule.joined(separator: " | ") + " |", at: 1)
    lines += ["", missed.isEmpty ? "Every bound is kept." : "Missed: \(missed.joined(separator: "; "))."]
    return lines.joined(separator: "\n")
  }
}

extension Double {
  /// With so many decimals.
  fileprivate func text(_ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((self * Double(scale)).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let fraction = "\(abs(scaled) % scale)"
    return "\(scaled / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
