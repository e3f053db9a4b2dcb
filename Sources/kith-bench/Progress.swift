import Glibc

/// What is told while the benchmark runs: on the error output, so that the table alone can be kept.
enum Progress {
  static func tell(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
