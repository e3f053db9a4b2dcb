import JSON

/// Writing a shape: what is nil is left out.
extension JSONWriter: MemberVisitor {
  public typealias Failure = Never

  @inline(__always)
  public mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ limits: T.Limits, _ about: StaticString
  ) {
    member(name)
    value.encodeInPlace(into: &self)
  }

  @inline(__always)
  public mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ limits: T.Limits, _ about: StaticString
  ) {
    if case .none = value { return }
    member(name)
    value?.encodeInPlace(into: &self)
  }
}
