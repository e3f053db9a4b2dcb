/// Why a command did not do what was asked, and what the person can do about it.
public struct CommandFailure: Error, Hashable, Sendable {
  public let exitCode: ExitCode
  /// A sentence without its full stop; may hold text from elsewhere.
  public let message: String
  public let hint: String?

  public init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.message = message
    self.hint = hint
  }

  /// The lines for the error output: `kith: error: …`, then `kith: hint: …`.
  public func lines(program: String, palette: Palette) -> [String] {
    let error = "\(program): \(palette.bad("error:")) \(VisibleText(message).string)"
    guard let hint else { return [error] }
    return [error, "\(program): \(palette.heading("hint:")) \(VisibleText(hint).string)"]
  }
}

extension CommandFailure: CustomStringConvertible {
  /// The message, wherever a failure is put into another's words.
  public var description: String { message }
}
