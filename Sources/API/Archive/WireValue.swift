import JSON

/// What can be the value of a member: it knows how to be read, written and described.
public protocol WireValue: Sendable {
  /// What a member may demand of the value beyond its type.
  associatedtype Limits: Sendable

  /// Reads the value, which is not null, or tells what is wrong with it.
  static func decode(_ json: JSONValue, _ limits: Limits, _ side: WireSide) throws(ShapeProblem) -> Self

  func encode(into writer: inout JSONWriter)

  /// As ``encode(into:)``, for a value in its place: spares a shape, which shows its members in place, a copy.
  mutating func encodeInPlace(into writer: inout JSONWriter)

  /// Writes the members of the JSON Schema that describes the value, into an object that is begun already.
  static func describe(_ limits: Limits, into schema: inout SchemaWriter)
}

extension WireValue {
  @inline(__always)
  public mutating func encodeInPlace(into writer: inout JSONWriter) { encode(into: &writer) }
}

/// The limits of a value that has none beyond its type.
public struct NoLimits: Sendable {
  public init() {}
}

/// Which side of a call is read: the daemon is strict with parameters, a client lets results grow.
public enum WireSide: Sendable {
  /// Unknown members are refused and limits hold.
  case parameters
  /// Unknown members are passed over, so that an older client understands a newer daemon.
  case result
}
