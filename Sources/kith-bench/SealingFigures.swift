import Accounts
import Crypto
import Vault

/// What sealing and opening take of the processor in this process, by the daemon's own library.
enum SealingFigures {
  private static let contentBytes = 1024
  private static let records = 2000
  private static let rounds = 9

  static func tell(in report: inout Report) throws(BenchFailure) {
    let figures: (seal: Double, open: Double)
    do {
      figures = try microseconds()
    } catch {
      throw BenchFailure("sealing: \(error)")
    }
    let record = "a record of \(contentBytes / 1024) KiB"
    report.tell("sealing \(record)", figures.seal, unit: "µs", bound: .atMost(15, goal: 10))
    report.tell("opening \(record)", figures.open, unit: "µs", bound: .atMost(15, goal: 5))
  }

  /// What a record takes, in the round in the middle.
  private static func microseconds() throws -> (seal: Double, open: Double) {
    let keyset = try Keyset.growing(nil, by: nil, random: .system)
    let ring = try KeyRing(keyset, random: .system)
    let content = try RandomSource.system.secret(contentBytes)
    var seal: [Double] = []
    var open: [Double] = []
    for round in 0...rounds {
      let contexts = (0..<records).map { context(UInt64(round * records + $0)) }
      // The work waits for nothing, so what else the machine does is left out.
      let start = MonotonicTime.processorNanosecondsOfThread()
      let sealed = try contexts.map { try ring.seal(content, in: $0) }
      let middle = MonotonicTime.processorNanosecondsOfThread()
      var opened = 0
      for (record, context) in zip(sealed, contexts) { opened += try ring.open(record, in: context).count }
      let end = MonotonicTime.processorNanosecondsOfThread()
      guard opened == records * contentBytes else { throw BenchFailure("something did not open as it was sealed") }
      // The first round warms up.
      guard round > 0 else { continue }
      seal.append(Double(middle - start) / 1000 / Double(records))
      open.append(Double(end - middle) / 1000 / Double(records))
    }
    return (seal.median, open.median)
  }

  private static func context(_ number: UInt64) -> SealingContext {
    SealingContext(
      domain: .credential, accessGroup: "bench", account: "mira.okafor@example.org", service: "example.net",
      userID: nil, recordID: UniqueID(high: 1, low: number), recordVersion: 1,
      databaseID: UniqueID(high: 2, low: 2))
  }
}
