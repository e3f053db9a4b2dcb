import Accounts
import Glibc
import Vault

/// Why the spool could not do what it was asked to. It never tells what is in an entry.
public enum SpoolError: Error, Hashable, Sendable {
  /// Another process has this spool open.
  case inUse(folder: String)
  /// It is a link, or no folder.
  case notAFolder(path: String)
  case wrongOwner(path: String, uid: uid_t, expected: uid_t)
  /// Others than its owner may write to the folder.
  case writableByOthers(path: String, mode: mode_t)
  /// The spool holds as much as it may; see ``Spool/bytesMax`` and ``Spool/filesMax``.
  case full(files: Int, bytes: Int)
  /// The disk has no space, or the daemon's user none left of its quota.
  case diskFull(path: String)
  /// `code` is the system's error number.
  case failed(path: String, code: Int32)
  /// An entry could not be sealed, or the cryptographic library failed when one was to be opened.
  case sealing(SealingError, RegistrationID)

  /// The cryptographic library gave no random key.
  case randomness

  init(path: String, code: Int32) {
    self = code == ENOSPC || code == EDQUOT ? .diskFull(path: path) : .failed(path: path, code: code)
  }
}

extension SpoolError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .inUse(let folder): "another process uses the spool in \(folder)"
    case .notAFolder(let path): "\(path) is not a folder"
    case .wrongOwner(let path, let uid, let expected): "\(path) belongs to uid \(uid), not to uid \(expected)"
    case .writableByOthers(let path, let mode):
      "\(path) has mode 0\(String(mode, radix: 8)); none but its owner may write to it"
    case .full(let files, let bytes): "the spool is full: \(files) files, \(bytes) bytes"
    case .diskFull(let path): "\(path): no space is left"
    case .failed(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .randomness: "there are no random bytes"
    case .sealing(let error, let id): "registration \(id): \(error)"
    }
  }

  /// What to do about it; nil when the description says all there is.
  public var hint: String? {
    switch self {
    case .inUse: "stop the other one, or give this one another state_dir"
    case .notAFolder(let path): "move \(path) away; it is made anew"
    case .wrongOwner(let path, _, let expected): "chown \(expected) \(path), or set state_dir to a folder of its own"
    case .writableByOthers(let path, _): "chmod 0700 \(path)"
    case .full: "see why the database is away; what is kept is delivered when it is back"
    case .diskFull, .failed, .sealing, .randomness: nil
    }
  }
}
