import Glibc

/// The input and outputs of this process.
public struct ProcessConsole: Console {
  /// For a terminal that does not tell its size.
  private static let widthByDefault = 80

  public init() {}

  public var outputWidth: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.widthByDefault }
    return Int(size.ws_col)
  }

  public var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  public var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  public func writeOutput(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  public func writeError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  public func readInputLine() -> String? {
    readLine(strippingNewline: true)
  }

  /// There is nobody to tell when an output is gone, so the rest is dropped.
  private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
