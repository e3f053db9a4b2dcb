import Configuration

/// A host with the few users and groups that the cases name.
struct InventedHost: AccountDirectory {
  func uid(ofUser name: String) -> UInt32? {
    ["www-data": 33, "kith": 990][name]
  }

  func gid(ofGroup name: String) -> UInt32? {
    ["kith": 990, "kith-admin": 991][name]
  }
}

extension Surroundings {
  /// An unprivileged daemon on a host of four processors.
  static func invented(environment: [String: String] = [:], uid: UInt32 = 1000, processors: Int = 4) -> Surroundings {
    Surroundings(
      environment: environment, effectiveUID: uid, processorCount: processors, directory: InventedHost())
  }
}
