import Glibc

/// The folder of a spool, which one process at a time may hold, and what is done with the files in it. Everything here
/// blocks.
final class SpoolFolder: Sendable {
  static let mode: mode_t = 0o700
  static let fileMode: mode_t = 0o600
  private static let lockName = "lock"

  let path: String
  private let owner: uid_t
  private let folder: Descriptor
  /// Holds the lock for as long as it is open.
  private let lock: HeldLock

  /// - Parameter owner: whose folder and files must be; another one than the process's is for root alone.
  init(_ path: String, owner: uid_t = geteuid()) throws(SpoolError) {
    let isNew = mkdir(path, Self.mode) == 0
    guard isNew || errno == EEXIST else { throw SpoolError(path: path, code: errno) }
    let folder = try Self.open(path)
    if isNew {
      // The mask of this process may have taken bits away.
      guard fchmod(folder.number, Self.mode) == 0 else { throw SpoolError(path: path, code: errno) }
      try Self.forceEntry(of: folder, path)
    }
    try Self.check(folder, path, owner: owner)
    lock = try Self.takeLock(in: folder, path, owner: owner)
    self.folder = folder
    self.path = path
    self.owner = owner
  }

  private static func open(_ path: String) throws(SpoolError) -> Descriptor {
    let folder = Descriptor(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    if let folder { return folder }
    let code = errno
    throw code == ENOTDIR || code == ELOOP ? .notAFolder(path: path) : SpoolError(path: path, code: code)
  }

  /// What is kept in a folder is lost with it.
  private static func forceEntry(of folder: borrowing Descriptor, _ path: String) throws(SpoolError) {
    guard let parent = Descriptor(openat(folder.number, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      fsync(parent.number) == 0
    else { throw SpoolError(path: path, code: errno) }
  }

  private static func check(_ folder: borrowing Descriptor, _ path: String, owner: uid_t) throws(SpoolError) {
    var status = stat()
    guard fstat(folder.number, &status) == 0 else { throw SpoolError(path: path, code: errno) }
    guard status.st_uid == owner else {
      throw .wrongOwner(path: path, uid: status.st_uid, expected: owner)
    }
    guard status.st_mode & 0o022 == 0 else {
      throw .writableByOthers(path: path, mode: status.st_mode & 0o7777)
    }
  }

  private static func takeLock(
    in folder: borrowing Descriptor, _ path: String, owner: uid_t
  ) throws(SpoolError) -> HeldLock {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let lock = Descriptor(openat(folder.number, lockName, flags, fileMode)) else {
      throw SpoolError(path: "\(path)/\(lockName)", code: errno)
    }
    // Or else the daemon could not open what root has made.
    guard owner == geteuid() || fchown(lock.number, owner, .max) == 0 else {
      throw SpoolError(path: "\(path)/\(lockName)", code: errno)
    }
    guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .inUse(folder: path) : SpoolError(path: "\(path)/\(lockName)", code: errno)
    }
    return HeldLock(lock)
  }

  private func failure(_ name: String) -> SpoolError {
    SpoolError(path: "\(path)/\(name)", code: errno)
  }

  // MARK: Writing

  /// Writes a new file, without forcing it to the disk; leaves nothing when it cannot.
  func create(_ name: String, _ bytes: [UInt8]) throws(SpoolError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(folder.number, name, flags, Self.fileMode)
    guard descriptor >= 0 else { throw failure(name) }
    var code = Self.write(bytes, to: descriptor)
    // Some file systems tell only now that there was no space.
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unlinkat(folder.number, name, 0)
      throw SpoolError(path: "\(path)/\(name)", code: code)
    }
  }

  /// - Returns: 0, or the number of the error.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        written += count
      }
      return 0
    }
  }

  /// Returns when a file and its name are on the disk.
  func forceToDisk(_ name: String) throws(SpoolError) {
    guard let file = Descriptor(openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)),
      fsync(file.number) == 0
    else { throw failure(name) }
    try forceNames()
  }

  /// Returns when what was made, renamed and removed is so on the disk.
  func forceNames() throws(SpoolError) {
    guard fsync(folder.number) == 0 else { throw failure(".") }
  }

  /// Replaces a file by one that is on the disk: a reader sees the old one or the new one, whole.
  func replace(_ name: String, _ bytes: [UInt8]) throws(SpoolError) {
    let temporary = name + ".new"
    // Left by somebody who was ended meanwhile; the lock says that nobody is writing it.
    try remove(temporary)
    try create(temporary, bytes)
    try forceToDisk(temporary)
    try rename(temporary, to: name)
    try forceNames()
  }

  func rename(_ name: String, to other: String) throws(SpoolError) {
    guard renameat(folder.number, name, folder.number, other) == 0 else { throw failure(name) }
  }

  /// Removes a file if it is there.
  func remove(_ name: String) throws(SpoolError) {
    guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else { throw failure(name) }
  }

  // MARK: Reading

  /// The bytes of a file, or as many as are wanted of it.
  enum Found {
    case bytes([UInt8], of: Int)
    case nothing
    case notOurs
    /// `code` is the system's error number.
    case unreadable(code: Int32)
  }

  /// - Throws: when the process lacks descriptors or memory, so that the file may be read another time.
  func read(_ name: String, bytesMax: Int) throws(SpoolError) -> Found {
    // Without O_NONBLOCK a named pipe would keep us waiting for its writer.
    let file = Descriptor(openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))
    guard let file else { return try notOpened(name) }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { return .unreadable(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner else { return .notOurs }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: min(Int(status.st_size), bytesMax)) { buffer, filled in
      while filled < buffer.count {
        let got = Glibc.read(file.number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
        if got < 0, errno == EINTR { continue }
        if got < 0 { code = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    return code == 0 ? .bytes(bytes, of: Int(status.st_size)) : .unreadable(code: code)
  }

  private func notOpened(_ name: String) throws(SpoolError) -> Found {
    switch errno {
    case ENOENT: return .nothing
    case ELOOP: return .notOurs
    case EMFILE, ENFILE, ENOMEM: throw failure(name)
    case let code: return .unreadable(code: code)
    }
  }

  /// The names of everything in the folder, in no order.
  func names() throws(SpoolError) -> [String] {
    let descriptor = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(".") }
    guard let stream = fdopendir(descriptor) else {
      let error = failure(".")
      close(descriptor)
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
      names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
      errno = 0
    }
    guard errno == 0 else { throw failure(".") }
    return names
  }
}

/// A lock on an open file, given back with its owner: by a word of its own, because a program that is being started at this
/// very moment has the descriptor too, and closing ours would leave it locked until that one runs.
private struct HeldLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  deinit { flock(descriptor.number, LOCK_UN) }
}

/// An open descriptor, closed with its owner.
private struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Nil for what a call gives that failed.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}
