import JSON

/// An object on the wire, defined once: by the one function that shows each of its members to a visitor.
///
/// The definition decodes, encodes and describes. A member whose variable is optional may be left out; every other must
/// be there. A shape has at most 63 members.
public protocol Shape: WireValue where Limits == NoLimits {
  /// A shape to decode into: what must be there gets a placeholder.
  init()

  /// The name of the shape in the description of the interface.
  static var title: String { get }

  /// Shows every member to the visitor, in the order in which they are written.
  mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure)

  /// Writes every member. A requirement, so that each shape has code of its own for it: through the generic function
  /// a member costs several times as much.
  mutating func encodeMembers(into writer: inout JSONWriter)

  /// What is wrong between members that are each right by themselves.
  func contradiction() -> ShapeProblem?
}

extension Shape {
  public func contradiction() -> ShapeProblem? { nil }

  public static func decode(_ json: JSONValue, _: NoLimits, _ side: WireSide) throws(ShapeProblem) -> Self {
    guard json.isObject else { throw .wrongType("an object") }
    var shape = Self()
    var decoder = MemberDecoder(json, side)
    try shape.members(&decoder)
    try decoder.finish()
    if side == .parameters, let problem = shape.contradiction() { throw problem }
    return shape
  }

  public func encode(into writer: inout JSONWriter) {
    var shape = self
    shape.encodeInPlace(into: &writer)
  }

  public mutating func encodeInPlace(into writer: inout JSONWriter) {
    writer.beginObject()
    encodeMembers(into: &writer)
    writer.endObject()
  }

  public mutating func encodeMembers(into writer: inout JSONWriter) { members(&writer) }

  public static func describe(_: NoLimits, into schema: inout SchemaWriter) {
    schema.reference(to: Self.self)
  }
}
