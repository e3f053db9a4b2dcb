import Glibc
import Synchronization

/// The input and outputs of this process.
public struct ProcessConsole: Console {
  /// For a terminal that does not tell its size.
  private static let widthByDefault = 80
  /// The system's number of the first error in writing the output; 0 while there was none.
  private static let outputError = Atomic<Int32>(0)

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
    // What comes behind a gap is of no use.
    guard Self.outputError.load(ordering: .relaxed) == 0 else { return }
    let error = write(text, to: STDOUT_FILENO)
    if error != 0 { Self.outputError.store(error, ordering: .relaxed) }
  }

  /// There is nobody to tell when this output is gone, so what cannot be written is dropped.
  public func writeError(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  public var outputLoss: OutputLoss? {
    switch Self.outputError.load(ordering: .relaxed) {
    case 0: nil
    case EPIPE: .readerIsGone
    case let error: .failed(String(cString: strerror(error)))
    }
  }

  public func readInputLine() -> String? {
    readLine(strippingNewline: true)
  }

  /// - Returns: the system's number of the error after which the rest was dropped; 0 for none.
  private func write(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
