/// What the daemon needs to start with its cluster and to be there.
struct RestFigures {
  let options: BenchOptions
  let site: BenchSite
  var report: Report

  mutating func measure() throws(BenchFailure) {
    var seconds: [Double] = []
    for round in 1...options.startRounds {
      let daemon = try DaemonProcess(site.embeddedDaemon)
      defer { daemon.stop() }
      seconds.append(daemon.startSeconds)
      if round == options.startRounds { try measureMemory(of: daemon) }
    }
    report.tell(
      "ready after start, with its own cluster", seconds.median, unit: "s", decimals: 3,
      bound: .atMost(0.5, goal: 0.15))
  }

  private mutating func measureMemory(of daemon: DaemonProcess) throws(BenchFailure) {
    let atRest = try ProcessFigures.residentKilobytes(of: daemon.program.id)
    report.tell("resident at rest", Double(atRest) / 1024, unit: "MB", bound: .atMost(60, goal: 30))
    // What the first call needs is not a connection's.
    let first = try Client(site.socket)
    defer { first.close() }
    try first.ping()
    let before = try ProcessFigures.residentKilobytes(of: daemon.program.id)
    var clients: [Client] = []
    defer { for client in clients { client.close() } }
    for _ in 0..<options.idleConnections {
      let client = try Client(site.socket)
      clients.append(client)
      try client.ping()
    }
    let grown = try ProcessFigures.residentKilobytes(of: daemon.program.id) - before
    report.tell(
      "resident per idle connection (\(options.idleConnections) open)", Double(grown) / Double(clients.count),
      unit: "KB",
      bound: .atMost(24, goal: 8))
  }
}
