import Glibc
import Terminal

/// A new file that only its owner can read.
struct PrivateFile {
  private static let mode: mode_t = 0o600

  private let path: String

  init(at path: String) { self.path = path }

  /// Makes the file; one that is there already is left as it is. What cannot be written whole is removed again.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, Self.mode)
    guard descriptor >= 0 else { throw failure(errno) }
    var rest = bytes[...]
    var code: Int32 = 0
    while code == 0, !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 { rest = rest.dropFirst(written) } else if errno != EINTR { code = errno }
    }
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unlink(path)
      throw failure(code)
    }
  }

  private func failure(_ code: Int32) -> CommandFailure {
    CommandFailure(
      .failed, "\(path) cannot be written: \(String(cString: strerror(code)))",
      hint: code == EEXIST ? "name a file that is not there yet" : nil)
  }
}
