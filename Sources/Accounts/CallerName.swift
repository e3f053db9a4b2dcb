/// What the configuration calls a process that talks to the daemon; told in events and audit.
public struct CallerName: Hashable, Sendable {
  public let text: ExactText

  /// A name is for people to read; the limit keeps it on one line.
  public static let bytesMax = 64

  /// The command line where it goes past the daemons, and so is no caller of theirs.
  public static let commandLine = CallerName(checked: "kith")

  private init(checked text: ExactText) { self.text = text }

  /// Fails when the name is empty, longer than ``bytesMax``, or has other than printable ASCII without spaces.
  public init?(_ text: String) {
    let text = ExactText(text)
    guard (1...Self.bytesMax).contains(text.byteCount), text.string.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.text = text
  }
}

extension CallerName: CustomStringConvertible {
  public var description: String { text.string }
}
