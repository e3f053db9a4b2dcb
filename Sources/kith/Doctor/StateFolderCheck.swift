import Configuration
import Glibc

/// Looks whether the folder where the daemon keeps what must outlive it is its own alone, and whether there is room.
enum StateFolderCheck {
  private static let subject = "disk"
  /// Where a daemon with a PostgreSQL of its own keeps that.
  static let clusterFolder = "/postgres"
  /// Under the first PostgreSQL, which may share the disk, soon stops; under the second it is time to look.
  private static let freeBytesMin: (failed: UInt64, warning: UInt64) = (100 << 20, 1 << 30)
  /// Of all inodes; a file takes one however small it is.
  private static let freeInodesShareMin: (failed: Double, warning: Double) = (0.01, 0.05)
  private static let remedy = "make room; on a full disk nothing can be changed, first sign-ins included"

  /// - Parameter owner: whom the daemon runs as; nil where nobody says.
  static func findings(_ folder: String, owner: UInt32?) -> [Finding] {
    for path in [folder, folder + clusterFolder] {
      do throws(StateFolder.Problem) {
        try StateFolder.check(path, owner: owner)
      } catch {
        return [.failed("state", error.message, remedy: error.hint), finding(folder)]
      }
    }
    return [finding(folder)]
  }

  static func finding(_ folder: String) -> Finding {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return absence(of: folder, errno)
    }
    let inodesShare = status.f_files == 0 ? 1 : Double(status.f_favail) / Double(status.f_files)
    return finding(folder, freeBytes: UInt64(status.f_bavail) * UInt64(status.f_frsize), freeInodesShare: inodesShare)
  }

  private static func absence(of folder: String, _ problem: Int32) -> Finding {
    let remedy =
      switch problem {
      case ENOENT: "start kithd by its unit, which makes it, or set state_dir in the configuration to where it is"
      case EACCES where geteuid() != 0: "run as root to have it checked"
      default: "set state_dir in the configuration to a folder"
      }
    return .warning(
      subject, "the state folder \(folder) cannot be looked at: \(String(cString: strerror(problem)))", remedy: remedy)
  }

  static func finding(_ folder: String, freeBytes: UInt64, freeInodesShare: Double) -> Finding {
    let words = "\(freeBytes >> 20) MiB and \(Int(freeInodesShare * 100)) % of the inodes are free at \(folder)"
    if freeBytes < freeBytesMin.failed || freeInodesShare < freeInodesShareMin.failed {
      return .failed(subject, words, remedy: remedy)
    }
    if freeBytes < freeBytesMin.warning || freeInodesShare < freeInodesShareMin.warning {
      return .warning(subject, words, remedy: remedy)
    }
    return .ok(subject, words)
  }
}
