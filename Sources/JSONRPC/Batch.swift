import JSON

/// The calls of one batch, each read when its turn comes. At least one is in it.
public struct Batch: Sequence, IteratorProtocol {
  private var elements: JSONElements

  init(_ array: JSONValue) {
    elements = array.elements
  }

  public mutating func next() -> MessageEntry? {
    elements.next().map { MessageEntry($0) }
  }
}
