/// What a shape shows its members to: something that reads, writes or describes them.
///
/// Names are text that needs no escape in JSON.
public protocol MemberVisitor {
  associatedtype Failure: Error

  /// A member that must be there.
  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ limits: T.Limits, _ about: StaticString
  ) throws(Failure)

  /// A member that may be left out.
  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ limits: T.Limits, _ about: StaticString
  ) throws(Failure)
}

extension MemberVisitor {
  /// A member that must be there, of a type without limits.
  @inline(__always)
  public mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ about: StaticString
  ) throws(Failure) where T.Limits == NoLimits {
    try member(name, &value, NoLimits(), about)
  }

  /// A member that may be left out, of a type without limits.
  @inline(__always)
  public mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ about: StaticString
  ) throws(Failure) where T.Limits == NoLimits {
    try member(name, &value, NoLimits(), about)
  }
}
