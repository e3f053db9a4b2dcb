import Crypto
import Glibc

/// Reads and replaces the file that a keyset is kept in.
public enum KeysetFile {
  private static let mode: mode_t = 0o600

  /// - Parameter owner: the user, besides root, to whom the file may belong; usually the effective one of the process.
  public static func read(_ path: String, owner: uid_t = geteuid()) throws(KeysetFileError) -> Keyset {
    // Without O_NONBLOCK a named pipe would keep us waiting for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .failed(path: path, code: errno) }
    defer { close(descriptor) }
    let status = try check(descriptor, path, owner: owner)
    guard status.st_size <= Keyset.textBytesMax else {
      throw .keyset(path: path, KeysetError(.tooLarge(bytesMax: Keyset.textBytesMax)))
    }
    let text = try readAll(descriptor, path, count: Int(status.st_size))
    do {
      return try Keyset(reading: text)
    } catch {
      throw .keyset(path: path, error)
    }
  }

  private static func check(_ descriptor: Int32, _ path: String, owner: uid_t) throws(KeysetFileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(path: path) }
    guard status.st_uid == owner || status.st_uid == 0 else {
      throw .wrongOwner(path: path, uid: status.st_uid, expected: owner)
    }
    // As ssh judges a key: what matters is who else gets at it. 0400, with which systemd hands credentials out, and 0700 are
    // as private as the mode that we make it with.
    guard status.st_mode & 0o077 == 0 else { throw .notPrivate(path: path, mode: status.st_mode & 0o7777) }
    return status
  }

  private static func readAll(_ descriptor: Int32, _ path: String, count: Int) throws(KeysetFileError) -> SecretBytes {
    try SecretBytes(count: count) { (buffer) throws(KeysetFileError) in
      var filled = 0
      while filled < buffer.count {
        let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw .failed(path: path, code: errno) }
        // Shorter than it said it was: somebody is writing it.
        guard got > 0 else { throw .busy(path: path) }
        filled += got
      }
    }
  }

  /// Replaces the keyset of a file by what `change` makes of it; a reader sees the old one or the new one, whole, and
  /// two changes at once cannot undo each other.
  ///
  /// - Parameter change: gets nil where there is no file yet.
  /// - Returns: the new keyset, which is on the disk.
  @discardableResult
  public static func update(
    _ path: String, owner: uid_t = geteuid(), _ change: (Keyset?) throws(KeysetError) -> Keyset
  ) throws(KeysetFileError) -> Keyset {
    let folder = try LockedFolder(around: path)
    var status = stat()
    let isNew = lstat(path, &status) != 0
    if isNew, errno != ENOENT { throw .failed(path: path, code: errno) }
    // Renaming over a link would leave what it points to as it was.
    guard isNew || status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(path: path) }
    let former = isNew ? nil : try read(path, owner: owner)
    let keyset: Keyset
    do {
      keyset = try change(former)
    } catch {
      throw .keyset(path: path, error)
    }
    try write(keyset.text, to: path, keepingOwnerOf: isNew ? nil : status)
    guard fsync(folder.descriptor) == 0 else { throw .failed(path: path, code: errno) }
    return keyset
  }

  private static func write(
    _ text: SecretBytes, to path: String, keepingOwnerOf former: stat?
  ) throws(KeysetFileError) {
    let temporary = path + ".new"
    // Left by a change that was cut short; the lock says that nobody is writing it.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .failed(path: temporary, code: errno) }
    let code = fill(descriptor, with: text, keepingOwnerOf: former)
    close(descriptor)
    guard code == 0, rename(temporary, path) == 0 else {
      let code = code == 0 ? errno : code
      unlink(temporary)
      throw .failed(path: path, code: code)
    }
  }

  /// - Returns: 0, or the number of the error.
  private static func fill(_ descriptor: Int32, with text: SecretBytes, keepingOwnerOf former: stat?) -> Int32 {
    // Root may change the keyset of a daemon that is not root and must be able to read the new one as well.
    if let former, fchown(descriptor, former.st_uid, former.st_gid) != 0 { return errno }
    // The mask of this process may have taken bits away, and changing the owner others.
    guard fchmod(descriptor, mode) == 0 else { return errno }
    return text.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        written += count
      }
      return fsync(descriptor) == 0 ? 0 : errno
    }
  }
}

/// The folder of a keyset file, which one change at a time may hold.
private struct LockedFolder: ~Copyable {
  let descriptor: Int32

  init(around path: String) throws(KeysetFileError) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(path: folder, code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? .busy(path: path) : .failed(path: folder, code: code)
    }
    self.descriptor = descriptor
  }

  deinit {
    // By a word of its own: a program that is being started at this very moment has the descriptor too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
