/// Gathers what is wrong with a configuration while it is read, so that one reading tells everything.
final class Findings {
  let file: String
  private let source: SourceMap
  private(set) var problems: [ConfigurationProblem] = []

  init(file: String, source: SourceMap) {
    self.file = file
    self.source = source
  }

  func report(_ message: String, at path: ValuePath, hint: String? = nil) {
    report(message, at: path, line: line(of: path), hint: hint)
  }

  func report(_ failure: HostFile.Failure, at path: ValuePath) {
    problems.append(
      ConfigurationProblem(
        file: file, line: line(of: path), path: path.description, message: failure.message, hint: failure.hint,
        isWithoutCredentials: failure.isWithoutCredentials))
  }

  func report(_ message: String, at path: ValuePath, line: Int, hint: String? = nil) {
    problems.append(
      ConfigurationProblem(file: file, line: line, path: path.description, message: message, hint: hint))
  }

  func line(of path: ValuePath) -> Int {
    source.line(of: path)
  }

  /// The error of all that was found, in the order of the lines.
  var error: ConfigurationError {
    ConfigurationError(
      problems: problems.sorted { ($0.line ?? 0, $0.path, $0.message) < ($1.line ?? 0, $1.path, $1.message) })
  }
}
