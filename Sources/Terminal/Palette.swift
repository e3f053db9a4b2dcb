/// Colours, or none where they would be noise.
public struct Palette: Hashable, Sendable {
  public let isColoured: Bool

  public init(isColoured: Bool) {
    self.isColoured = isColoured
  }

  /// Coloured on a terminal that can, unless the person asked for none.
  ///
  /// - Parameters:
  ///   - environment: `NO_COLOR` with any text and `TERM=dumb` mean none.
  ///   - isRefused: whether the command line asked for none.
  public init(onTerminal isTerminal: Bool, environment: [String: String], isRefused: Bool) {
    let refusal = environment["NO_COLOR"] ?? ""
    let terminal = environment["TERM"] ?? ""
    self.init(isColoured: isTerminal && !isRefused && refusal.isEmpty && !terminal.isEmpty && terminal != "dumb")
  }

  public func heading(_ text: String) -> String { wrap(text, "1") }
  public func good(_ text: String) -> String { wrap(text, "32") }
  public func warning(_ text: String) -> String { wrap(text, "33") }
  public func bad(_ text: String) -> String { wrap(text, "1;31") }
  public func quiet(_ text: String) -> String { wrap(text, "2") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
