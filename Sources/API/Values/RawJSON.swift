import Accounts
import JSON

/// JSON that Kith passes on as it came, byte for byte.
public struct RawJSON: Hashable, Sendable {
  public let text: ExactText

  /// - Parameter text: well-formed JSON.
  public init(_ text: ExactText) {
    self.text = text
  }

  init(_ json: [UInt8]) {
    text = ExactText(String(decoding: json, as: UTF8.self))
  }
}

/// What JSON that is passed on may be.
public struct RawJSONLimits: Sendable {
  let bytesMax: Int
  let kind: Kind

  enum Kind {
    case object
    case array
    case any
  }

  /// An object of at most so many bytes.
  public static func object(bytesMax: Int) -> RawJSONLimits { RawJSONLimits(bytesMax: bytesMax, kind: .object) }

  /// An array of at most so many bytes.
  public static func array(bytesMax: Int) -> RawJSONLimits { RawJSONLimits(bytesMax: bytesMax, kind: .array) }

  /// Any value of at most so many bytes.
  public static func any(bytesMax: Int) -> RawJSONLimits { RawJSONLimits(bytesMax: bytesMax, kind: .any) }
}

extension RawJSON: WireValue {
  public static func decode(_ json: JSONValue, _ limits: RawJSONLimits, _ side: WireSide) throws(ShapeProblem)
    -> RawJSON
  {
    switch limits.kind {
    case .object where !json.isObject: throw .wrongType("an object")
    case .array where !json.isArray: throw .wrongType("an array")
    case .object, .array, .any: break
    }
    guard side == .result || json.raw.count <= limits.bytesMax else {
      throw ShapeProblem(.length, "must be at most \(limits.bytesMax) bytes of JSON")
    }
    return RawJSON(ExactText(String(decoding: json.raw, as: UTF8.self)))
  }

  public func encode(into writer: inout JSONWriter) {
    var text = text.string
    text.withUTF8 { writer.raw(UnsafeRawBufferPointer($0)) }
  }

  public static func describe(_ limits: RawJSONLimits, into schema: inout SchemaWriter) {
    switch limits.kind {
    case .object:
      schema.json.member("type")
      schema.json.string("object" as StaticString)
    case .array:
      schema.json.member("type")
      schema.json.string("array" as StaticString)
    case .any: break
    }
  }
}
