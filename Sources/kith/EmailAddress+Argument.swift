import Accounts
import Terminal

extension EmailAddress {
  /// Reads an address that a person wrote on the command line.
  ///
  /// - Throws: a failure with exit code `usage`.
  init(argument text: String) throws(CommandFailure) {
    do throws(Invalid) {
      try self.init(text)
    } catch {
      throw CommandFailure(.usage, "\"\(text)\" is no e-mail address", hint: "\(error)".asPartOfLine)
    }
  }
}
