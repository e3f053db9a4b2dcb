import Accounts
import Spool
import TestSupport
import Vault

extension DaemonTrial {
  /// Whose names are in the files that a daemon left. It must be gone, and the database not its own.
  func arrivalsInSpool(of database: TestDatabase, tag: String) async throws -> Set<Arrival> {
    let seed = try await database.sealedSeed(by: TestKeys.keyset())
    let sealer = Sealer(seed.keyRing, databaseID: seed.databaseID)
    let spool = try Spool(folder: state + "/spool")
    var arrivals: Set<Arrival> = []
    while let file = spool.takeOldest(for: seed.databaseID) {
      for entry in try spool.contents(of: file, by: sealer, now: Timestamp(microseconds: 0)).entries {
        let identity = entry.identity
        guard
          let arrival = Arrival(
            provider: identity.namespace.provider.rawValue, subject: identity.subject.text.string, tag: tag)
        else { continue }
        let claims = String(decoding: entry.claims.revealedBytes, as: UTF8.self)
        if claims.contains(arrival.name(tag)) { arrivals.insert(arrival) }
      }
    }
    return arrivals
  }
}
