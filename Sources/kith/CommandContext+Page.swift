import API
import Accounts
import Terminal

extension OptionDeclaration {
  static let limit = OptionDeclaration(
    "limit", .text("N"), "So many at most, 1-\(Page.limitMax) (default: \(Page.limitDefault))")
  static let after = OptionDeclaration("after", .text("NEXT"), "Go on where an earlier list ended, as it said")
}

extension CommandContext {
  /// The value of `--limit`.
  func limit() throws(CommandFailure) -> Int? {
    guard let text = arguments.value(of: .limit) else { return nil }
    guard let limit = Int(text), (1...Page.limitMax).contains(limit) else {
      throw CommandFailure(.usage, "--limit is a number from 1 to \(Page.limitMax), not \"\(text)\"")
    }
    return limit
  }

  func text(of option: OptionDeclaration) -> ExactText? { arguments.value(of: option).map { ExactText($0) } }
}
