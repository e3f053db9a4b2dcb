import Crypto
import Glibc

/// Reads whole small files, and can insist that nobody but their owner may.
enum HostFile {
  struct Failure: Error, Equatable {
    /// What is wrong, to follow the file's name: `cannot be opened: No such file or directory`.
    let message: String
    var hint: String?
    /// Whether it is only that the process was given no credentials.
    var isWithoutCredentials = false
  }

  /// The bytes of a regular file that holds no secret.
  ///
  /// - Parameter bytesMax: more than this is refused.
  static func contents(of path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
    try secret(of: path, bytesMax: bytesMax, privateTo: nil).revealedBytes
  }

  /// The bytes of a regular file, of which no copy is left behind.
  ///
  /// - Parameters:
  ///   - bytesMax: more than this is refused.
  ///   - owner: when given, the file must belong to this user or to root, and be closed to group and others.
  static func secret(of path: String, bytesMax: Int, privateTo owner: UInt32?) throws(Failure) -> SecretBytes {
    // Without O_NONBLOCK a named pipe would keep us waiting for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(message: "cannot be opened: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(message: "cannot be looked at") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(message: "is not a regular file") }
    if let owner { try checkPrivacy(of: status, at: path, owner: owner) }
    return try readAll(descriptor, bytesMax: bytesMax)
  }

  private static func checkPrivacy(of status: stat, at path: String, owner: UInt32) throws(Failure) {
    guard status.st_uid == owner || status.st_uid == 0 else {
      throw Failure(
        message: "belongs to uid \(status.st_uid), not to uid \(owner) or root", hint: "chown \(owner) \(path)")
    }
    let mode = status.st_mode & 0o7777
    guard mode & 0o077 == 0 else {
      throw Failure(
        message: "can be read by others than its owner (mode 0\(String(mode, radix: 8)))", hint: "chmod 0600 \(path)")
    }
  }

  private static func readAll(_ descriptor: Int32, bytesMax: Int) throws(Failure) -> SecretBytes {
    var filled = 0
    // One more than is allowed, so that more is noticed.
    let bytes = try SecretBytes(count: bytesMax + 1) { (buffer) throws(Failure) in
      while filled < buffer.count {
        let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Failure(message: "cannot be read: \(String(cString: strerror(errno)))") }
        if count == 0 { break }
        filled += count
      }
    }
    guard filled <= bytesMax else { throw Failure(message: "is larger than \(bytesMax) bytes") }
    return bytes.prefix(filled)
  }
}

extension SecretBytes {
  func prefix(_ count: Int) -> SecretBytes {
    withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
  }
}
