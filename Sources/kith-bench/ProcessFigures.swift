import Foundation

/// What the kernel tells of processes.
enum ProcessFigures {
  /// Processor time of a process so far, in seconds.
  static func processorSeconds(of process: Int32) -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return 0 }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Resident memory in KiB.
  static func residentKiB(of process: Int32) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return 0 }
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }

  /// The processes below another, however deep.
  static func descendants(of process: Int32) -> [Int32] {
    let path = "/proc/\(process)/task/\(process)/children"
    let children = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: " ").compactMap {
      Int32($0)
    }
    return children + children.flatMap { descendants(of: $0) }
  }
}
