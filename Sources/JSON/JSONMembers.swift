/// The members of an object, one after the other in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol {
  private let text: UnsafePointer<UInt8>
  private var node: UnsafePointer<JSONNode>
  private let end: UnsafePointer<JSONNode>

  init(of value: JSONValue) {
    text = value.text
    node = value.node + 1
    end = value.isObject ? value.nextNode : node
  }

  @inline(__always)
  public mutating func next() -> (key: JSONValue, value: JSONValue)? {
    guard node < end else { return nil }
    let key = JSONValue(text: text, node: node)
    let value = JSONValue(text: text, node: node + 1)
    node = value.nextNode
    return (key, value)
  }
}
