import Glibc

/// Looks whether the folder where state is kept is its owner's alone: whoever else may write there, or leads us elsewhere by
/// a link, could change what the daemon does.
public enum StateFolder {
  /// What is wrong with the folder.
  public struct Problem: Error, Equatable {
    /// A sentence without its full stop, which names the path.
    public let message: String
    /// What to do about it.
    public let hint: String
  }

  private static let writeBits: mode_t = S_IWGRP | S_IWOTH

  /// Returns when the folder may be used as it is, or when there is none yet.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - owner: whose it has to be, root's own being root's; nil for whoever it belongs to.
  public static func check(_ path: String, owner: UInt32?) throws(Problem) {
    var found = stat()
    // A link to nothing is looked at all the same.
    let isThere = stat(path, &found) == 0
    try checkLinks(on: path, owner: owner ?? (isThere ? found.st_uid : nil))
    guard isThere else { return }
    guard found.st_mode & S_IFMT == S_IFDIR else {
      throw Problem(message: "\(path) is no folder", hint: "name another as the state folder")
    }
    if let owner, found.st_uid != owner {
      throw Problem(
        message: "\(path) belongs to uid \(found.st_uid), not to uid \(owner), as which kithd runs",
        hint: "name another as the state folder, or look what is in it, then: chown -R \(owner) \(path)")
    }
    guard found.st_mode & writeBits == 0 else {
      throw Problem(
        message: "\(path) can be written to by others than its owner (mode 0\(octal(found.st_mode)))",
        hint: "look what is in it, then: chmod go-w \(path)")
    }
  }

  /// - Parameter owner: whose links are followed, beside root's; nil for root's alone.
  private static func checkLinks(on path: String, owner: UInt32?) throws(Problem) {
    var place = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in path.split(separator: "/") {
      place += "/" + part
      var found = stat()
      guard lstat(place, &found) == 0 else { return }
      guard found.st_mode & S_IFMT == S_IFLNK, found.st_uid != 0, found.st_uid != owner else { continue }
      throw Problem(
        message: "\(place) is a link that uid \(found.st_uid) made, and may lead elsewhere at any time",
        hint: "name the state folder by a path without it")
    }
  }

  private static func octal(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }
}
