import Glibc

/// Why a keyset file could not be read or replaced. It never tells what is in it.
public enum KeysetFileError: Error, Hashable, Sendable {
  /// `code` is the system's error number.
  case failed(path: String, code: Int32)
  case notRegular(path: String)
  /// Others than its owner may do something with it.
  case notPrivate(path: String, mode: mode_t)
  case wrongOwner(path: String, uid: uid_t, expected: uid_t)
  /// Somebody else is changing it.
  case busy(path: String)
  case keyset(path: String, KeysetError)
}

extension KeysetFileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .failed(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .notRegular(let path): "\(path) is not a regular file"
    case .notPrivate(let path, let mode):
      "\(path) has mode 0\(String(mode, radix: 8)); it must be 0600, closed to group and others"
    case .wrongOwner(let path, let uid, let expected):
      "\(path) belongs to uid \(uid), not to uid \(expected) or root"
    case .busy(let path): "\(path) is being changed by somebody else"
    case .keyset(let path, let error): "\(path): \(error)"
    }
  }
}
