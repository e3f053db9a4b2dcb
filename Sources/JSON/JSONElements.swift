/// The elements of an array, one after the other.
public struct JSONElements: Sequence, IteratorProtocol {
  private let text: UnsafePointer<UInt8>
  private var node: UnsafePointer<JSONNode>
  private let end: UnsafePointer<JSONNode>

  init(of value: JSONValue) {
    text = value.text
    node = value.node + 1
    end = value.isArray ? value.nextNode : node
  }

  @inline(__always)
  public mutating func next() -> JSONValue? {
    guard node < end else { return nil }
    let element = JSONValue(text: text, node: node)
    node = element.nextNode
    return element
  }
}
