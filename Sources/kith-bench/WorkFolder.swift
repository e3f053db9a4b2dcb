import Glibc

/// A folder of this run, removed at its end.
struct WorkFolder {
  let path: String

  /// Under `$TMPDIR`, or `/var/tmp`: what is measured must be on a disk.
  init() throws(BenchFailure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
    var template = Array("\(parent)/kith-bench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .system("a folder in \(parent)") }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    // PostgreSQL runs as another user and passes through.
    chmod(path, 0o711)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String) throws(BenchFailure) -> String {
    let path = file(name)
    guard let stream = fopen(path, "w") else { throw .system(path) }
    defer { fclose(stream) }
    guard fputs(text, stream) >= 0 else { throw .system(path) }
    return path
  }

  func remove() {
    let rm = try? ChildProgram(["/bin/rm", "-rf", path], output: STDERR_FILENO)
    guard let rm else { return }
    waitpid(rm.id, nil, 0)
  }

  /// The whole of a file, which may be one of `/proc`.
  static func text(of path: String) throws(BenchFailure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
