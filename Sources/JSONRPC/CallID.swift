import JSON

/// The id that a caller gave to a call, kept as it was written, so that it goes back with the digits it came with.
public struct CallID: Hashable, Sendable {
  /// The JSON of the id. Up to 15 bytes of it take no memory of their own.
  public let json: String

  /// The id of an answer to what could not be understood.
  public static let null = CallID(json: "null")

  /// A number, for callers that count their calls.
  public init(_ number: Int64) {
    json = String(number)
  }

  private init(json: String) {
    self.json = json
  }

  /// - Returns: nil if the value is neither a string nor a number nor null.
  public init?(_ value: JSONValue) {
    switch value.kind {
    case .string, .number, .null: json = String(decoding: value.raw, as: UTF8.self)
    case .bool, .array, .object: return nil
    }
  }

  func write(into writer: inout JSONWriter) {
    var json = json
    json.withUTF8 { writer.raw(UnsafeRawBufferPointer($0)) }
  }

  // Two ids are the same only if they are written with the same bytes.
  public static func == (left: CallID, right: CallID) -> Bool {
    left.json.utf8.elementsEqual(right.json.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var json = json
    json.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
