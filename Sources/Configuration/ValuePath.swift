import Accounts

/// Where a value stands in the configuration: `callers[1].methods`.
struct ValuePath: Hashable {
  enum Step: Hashable {
    case key(ExactText)
    case index(Int)
  }

  private(set) var steps: [Step] = []

  static let root = ValuePath()

  func appending(key: String) -> ValuePath {
    ValuePath(steps: steps + [.key(ExactText(key))])
  }

  func appending(index: Int) -> ValuePath {
    ValuePath(steps: steps + [.index(index)])
  }

  /// Nil at the root.
  var parent: ValuePath? {
    steps.isEmpty ? nil : ValuePath(steps: steps.dropLast())
  }
}

extension ValuePath: CustomStringConvertible {
  /// Empty at the root.
  var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .key(let key): text += text.isEmpty ? key.string : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}
