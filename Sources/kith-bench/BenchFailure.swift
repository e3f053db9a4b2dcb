import Glibc

/// Why the benchmark cannot go on, for whoever runs it.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// What the system's last call that failed says.
  static func system(_ what: String, code: Int32 = errno) -> BenchFailure {
    BenchFailure("\(what): \(String(cString: strerror(code)))")
  }
}
