import Glibc

/// The system's message for an error number.
func systemMessage(_ code: Int32) -> String {
  String(cString: strerror(code))
}

/// The few things done with files, so that nothing written here follows a link that somebody else put there.
enum Filesystem {
  /// What is kept in one line, such as a version or a process id.
  private static let smallFileBytesMax = 4096

  /// Makes a folder unless there is one, which then must be its owner's alone.
  ///
  /// - Parameters:
  ///   - owner: who it is given to if it is new; nil for ourselves.
  ///   - forbidden: the permissions that others may not have in one that is there.
  static func makeFolder(
    _ path: String, mode: mode_t, owner: ServerUser? = nil, forbidden: mode_t = S_IWGRP | S_IWOTH
  ) throws(EmbeddedPostgresError) {
    if mkdir(path, mode) == 0 {
      // The mask of this process may have taken bits away.
      guard chmod(path, mode) == 0 else { throw unusable(path) }
      if let owner, lchown(path, owner.userID, owner.groupID) != 0 { throw unusable(path) }
      return
    }
    guard errno == EEXIST else { throw unusable(path) }
    guard let found = status(of: path) else { throw unusable(path) }
    if let why = flaw(of: found, userID: owner?.userID ?? geteuid(), forbidden: forbidden) {
      throw .folderNotOurs(path: path, why: why)
    }
  }

  /// Why what was found is no folder of that user alone; nil if it is.
  private static func flaw(of found: stat, userID: uid_t, forbidden: mode_t) -> String? {
    guard isFolder(found) else { return "is no folder, but something that uid \(found.st_uid) made" }
    guard found.st_uid == userID else { return "belongs to uid \(found.st_uid), not to uid \(userID)" }
    guard found.st_mode & forbidden == 0 else {
      return "is open to others than its owner (mode 0\(String(found.st_mode & 0o7777, radix: 8)))"
    }
    return nil
  }

  /// Makes a folder with whatever is missing on the way to it; gives those it made, the outermost first.
  static func makeFolders(_ path: String, mode: mode_t) throws(EmbeddedPostgresError) -> [String] {
    var made: [String] = []
    var folder = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in path.split(separator: "/") {
      folder += "/" + part
      if mkdir(folder, mode) == 0 {
        // The mask of this process may have taken bits away.
        chmod(folder, mode)
        made.append(folder)
      } else if errno != EEXIST {
        let error = unusable(folder)
        removeEmpty(made)
        throw error
      }
    }
    return made
  }

  /// Removes folders, the last first, as long as nothing is in them.
  static func removeEmpty(_ folders: [String]) {
    for folder in folders.reversed() { rmdir(folder) }
  }

  /// What `lstat` tells; nil if there is nothing.
  static func status(of path: String) -> stat? {
    var found = stat()
    return lstat(path, &found) == 0 ? found : nil
  }

  static func isFolder(_ found: stat) -> Bool {
    found.st_mode & S_IFMT == S_IFDIR
  }

  /// Puts a file in place at once: a reader sees the old text or the new.
  static func replaceFile(_ path: String, with text: String, mode: mode_t) throws(EmbeddedPostgresError) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw unusable(temporary) }
    var bytes = Array(text.utf8)
    let written = write(descriptor, &bytes, bytes.count)
    let code = errno
    fchmod(descriptor, mode)
    close(descriptor)
    guard written == bytes.count else { throw .folderUnusable(path: temporary, code: written < 0 ? code : ENOSPC) }
    guard rename(temporary, path) == 0 else { throw unusable(path) }
  }

  /// The lines of a small file; nil if there is none.
  static func readLines(_ path: String) -> [String]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: smallFileBytesMax)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  static func unusable(_ path: String) -> EmbeddedPostgresError {
    .folderUnusable(path: path, code: errno)
  }
}
