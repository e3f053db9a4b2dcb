import Glibc

/// What the kernel tells of processes.
enum ProcessFigures {
  /// Seconds of processor time that a process has used.
  static func cpuSeconds(of process: pid_t) -> Double { seconds(columns(of: process), [.user, .system]) }

  /// Seconds of processor time that PostgreSQL has used: the server, its processes, and those that have ended.
  ///
  /// A process that ends goes over into the server's own account; if one did so during the look, it is taken again.
  static func cpuSeconds(ofServer server: pid_t) -> Double {
    var ended = -1.0
    var total = 0.0
    for _ in 0..<looksMax {
      let columns = columns(of: server)
      let endedNow = seconds(columns, [.childrenUser, .childrenSystem])
      if endedNow == ended { break }
      ended = endedNow
      total = seconds(columns, [.user, .system]) + ended + cpuSeconds(ofChildrenOf: server)
    }
    return total
  }

  private static let looksMax = 20

  private static func cpuSeconds(ofChildrenOf server: pid_t) -> Double {
    processes().reduce(0) { total, process in
      let columns = columns(of: process)
      guard columns.count > 1, pid_t(columns[1]) == server else { return total }
      return total + seconds(columns, [.user, .system])
    }
  }

  /// Kilobytes (1,024 bytes) that are resident.
  static func residentKilobytes(of process: pid_t) throws(BenchFailure) -> Int {
    let status = try WorkFolder.text(of: "/proc/\(process)/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
    else { throw BenchFailure("/proc/\(process)/status does not tell VmRSS") }
    return number
  }

  /// Columns of `/proc/PID/stat`, counted from the one after the name (proc(5): the third).
  private enum Column: Int {
    case user = 11
    case system, childrenUser, childrenSystem
  }

  private static func seconds(_ columns: [Substring], _ which: [Column]) -> Double {
    let ticks = which.reduce(0) { sum, column in
      sum + (columns.count > column.rawValue ? Int(columns[column.rawValue]) ?? 0 : 0)
    }
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// A process may end while it is looked at; then there are none.
  private static func columns(of process: pid_t) -> [Substring] {
    guard let text = try? WorkFolder.text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
      return []
    }
    return text[text.index(after: end)...].split(separator: " ")
  }

  private static func processes() -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let id = pid_t(name) { found.append(id) }
    }
    return found
  }
}
