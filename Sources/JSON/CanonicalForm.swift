extension JSONValue {
  /// Writes the same value in its canonical form: members sorted by the bytes of their names, each string in its one
  /// minimal spelling, numbers with the digits they have, no white space.
  ///
  /// Two texts that differ only in the order of members, in escapes and in white space have one canonical form. It goes
  /// as deep as the text is nested, which the parser has limited.
  public func writeCanonical(into writer: inout JSONWriter) {
    switch kind {
    case .null, .bool, .number:
      writer.raw(raw)
    case .string:
      writeString(into: &writer)
    case .array:
      writer.beginArray()
      for element in elements { element.writeCanonical(into: &writer) }
      writer.endArray()
    case .object:
      writer.beginObject()
      for (key, value) in members.sorted(by: { $0.key.utf8Precedes($1.key) }) {
        key.withUTF8 { writer.member(utf8: $0) }
        value.writeCanonical(into: &writer)
      }
      writer.endObject()
    }
  }

  private func writeString(into writer: inout JSONWriter) {
    // Nothing needs an escape in a string that was read without one.
    guard node.pointee.mark else { return writer.raw(raw) }
    withUTF8 { writer.string(utf8: $0) }
  }

  private func utf8Precedes(_ other: JSONValue) -> Bool {
    withUTF8 { left in other.withUTF8 { right in left.lexicographicallyPrecedes(right) } } == .some(.some(true))
  }
}
