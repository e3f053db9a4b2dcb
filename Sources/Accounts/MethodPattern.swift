/// Which methods a caller may call: `*`, all of one noun as `signin.*`, or one method by name.
public enum MethodPattern: Hashable, Sendable {
  case any
  /// The prefix with its dot, as `signin.`.
  case prefix(ExactText)
  case method(ExactText)

  public func matches(_ method: String) -> Bool {
    switch self {
    case .any: true
    case .prefix(let prefix): method.utf8.starts(with: prefix.string.utf8)
    case .method(let name): name == ExactText(method)
    }
  }
}

extension MethodPattern: LosslessStringConvertible {
  /// Fails on an empty text and on a star anywhere but alone or after a final dot.
  public init?(_ text: String) {
    let bytes = text.utf8
    let star = UInt8(ascii: "*")
    guard let first = bytes.firstIndex(of: star) else {
      guard !bytes.isEmpty else { return nil }
      self = .method(ExactText(text))
      return
    }
    let prefix = bytes[..<first]
    guard bytes.index(after: first) == bytes.endIndex else { return nil }
    switch prefix.last {
    case nil: self = .any
    case UInt8(ascii: ".") where prefix.count > 1: self = .prefix(ExactText(String(Substring(prefix))))
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .any: "*"
    case .prefix(let prefix): "\(prefix)*"
    case .method(let name): name.string
    }
  }
}
