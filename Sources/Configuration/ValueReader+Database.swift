import Postgres

extension ValueReader {
  /// A connection string of libpq. It may hold a password, so nothing of it is told when it is none.
  func connectionString() -> Secret? {
    guard let secret = secret() else { return nil }
    do throws(ConninfoError) {
      try ConnectionSettings.check(secret.text)
      return secret
    } catch {
      report("is no connection string of PostgreSQL: \(error)", hint: error.hint)
      return nil
    }
  }
}
