/// What merging takes, and whether merges of different people stand in each other's way.
enum MergeFigures {
  private static let clients = 32
  private static let identitiesOfMany = 1000

  /// One client and many of them, of each.
  private struct Round {
    let pgbench: (one: Measurements.Figures, many: Measurements.Figures)
    let kithd: (one: Measurements.Figures, many: Measurements.Figures)

    static func growth(_ figures: (one: Measurements.Figures, many: Measurements.Figures)) -> Double {
      figures.many.perSecond / figures.one.perSecond
    }
  }

  static func tell(
    _ options: BenchOptions, _ measurements: inout Measurements, in report: inout Report
  ) throws(BenchFailure) {
    try measurements.database.settle()
    _ = try measurements.kithdMerging(10 * clients, clients: clients)
    var rounds: [Round] = []
    var many: [Double] = []
    for _ in 0..<options.ratioRounds {
      let round = Round(
        pgbench: (
          one: try measurements.pgbenchMerging(options.couples, clients: 1),
          many: try measurements.pgbenchMerging(options.couplesEach * clients, clients: clients)
        ),
        kithd: (
          one: try measurements.kithdMerging(options.couples, clients: 1),
          many: try measurements.kithdMerging(options.couplesEach * clients, clients: clients)
        ))
      rounds.append(round)
      let one = try measurements.kithdMerging(1, identitiesMoved: identitiesOfMany, clients: 1)
      many.append(one.latency.microseconds(at: 0.5) / 1000)
      Progress.tell(
        "\(Load.merge.title), 1 and \(clients) clients: calls/s \(Int(round.pgbench.one.perSecond)) and "
          + "\(Int(round.pgbench.many.perSecond)), \(Int(round.kithd.one.perSecond)) and "
          + "\(Int(round.kithd.many.perSecond))")
    }
    tell(rounds, in: &report)
    report.tell(
      "merge that brings \(identitiesOfMany) identities and addresses", many.median, unit: "ms", decimals: 0,
      bound: .atMost(200, goal: 100))
  }

  private static func tell(_ rounds: [Round], in report: inout Report) {
    let title = Load.merge.title
    report.tell(
      "\(title), 1 client: p50", rounds.map { $0.kithd.one.latency.microseconds(at: 0.5) / 1000 }.median, unit: "ms",
      decimals: 2, bound: .atMost(5, goal: 2.5))
    for (clients, pgbench, kithd) in [
      ("1 client", rounds.map(\.pgbench.one), rounds.map(\.kithd.one)),
      ("\(Self.clients) clients", rounds.map(\.pgbench.many), rounds.map(\.kithd.many)),
    ] {
      report.compare(
        "\(title), \(clients): calls/s", pgbench.map(\.perSecond).median, kithd.map(\.perSecond).median,
        latency: kithd.last?.latency)
    }
    let pgbench = rounds.map { Round.growth($0.pgbench) }
    let kithd = rounds.map { Round.growth($0.kithd) }
    report.compare(
      "\(title): calls/s with \(Self.clients) clients over 1", pgbench.median, kithd.median,
      ratio: zip(kithd, pgbench).map { $0 / $1 }.median, bound: .atLeast(1.0, goal: 1.2), decimals: 2)
    report.compare(
      "\(title): database CPU µs/call", rounds.map(\.pgbench.many.databaseMicroseconds).median,
      rounds.map(\.kithd.many.databaseMicroseconds).median, decimals: 1)
    report.tell(
      "\(title): daemon CPU", rounds.map(\.kithd.many.daemonMicroseconds).median, unit: "µs/call")
  }
}
