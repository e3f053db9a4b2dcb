import Glibc

/// What the figures were taken on; without it they mean nothing.
enum Surroundings {
  static func text(_ options: BenchOptions, _ programs: PostgresPrograms) throws(BenchFailure) -> String {
    let version = try programs.psql("show server_version", user: "kith_owner")
    let commit = try programs.psql("show synchronous_commit", user: "kith_runtime")
    let buffers = try programs.psql("show shared_buffers", user: "kith_owner")
    let gigabytes = sysconf(Int32(_SC_PHYS_PAGES)) / 1024 * sysconf(Int32(_SC_PAGESIZE)) / 1_048_576
    return """
      \(date), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores of \(try processor()), \(gigabytes) GB of memory
      PostgreSQL \(version), synchronous_commit \(commit), shared_buffers \(buffers)
      \(options.users) users, \(options.seconds) s a measurement\(options.isQuick ? "; too short to mean anything" : "")

      """
  }

  private static var date: String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 16)
    strftime(&text, text.count, "%Y-%m-%d", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func processor() throws(BenchFailure) -> String {
    let line = try WorkFolder.text(of: "/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "an unnamed processor"
  }
}
