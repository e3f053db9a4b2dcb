import JSON

/// Understands lines as JSON-RPC 2.0: calls, notifications and batches.
///
/// One decoder serves any number of connections of one thread, one line after the other.
public final class MessageDecoder {
  /// How deep a line may be nested, the outermost value counted.
  public var nestingMax: Int
  /// How many calls a batch may have.
  public var batchCallsMax: Int

  private let parser = JSONParser()

  /// - Parameters: the contract's limits, unless configured otherwise.
  public init(nestingMax: Int = 64, batchCallsMax: Int = 1000) {
    self.nestingMax = nestingMax
    self.batchCallsMax = batchCallsMax
  }

  /// Understands one line. The message is valid until the next call.
  public func decode(_ frame: UnsafeRawBufferPointer) -> Message {
    do {
      let value = try parser.parse(frame, nestingMax: nestingMax)
      return value.isArray ? batch(value) : .single(MessageEntry(value))
    } catch {
      return .refused(Self.refusal(error))
    }
  }

  /// Overwrites the last line, which may have held secrets. No message of it may be used any more.
  public func wipe() { parser.wipe() }

  private func batch(_ array: JSONValue) -> Message {
    let count = array.count
    guard count > 0 else { return .refused(RPCError(.invalidRequest, "A batch holds at least one call.")) }
    guard count <= batchCallsMax else { return .refused(.limit(.batchCalls, max: batchCallsMax)) }
    return .batch(Batch(array))
  }

  private static func refusal(_ error: JSONError) -> RPCError {
    switch error {
    case .malformed(let offset):
      RPCError(.parseError, "The line is not valid JSON; reading stopped at byte \(offset).")
    case .duplicateName(let offset):
      RPCError(.parseError, "A name stands twice in the object that ends before byte \(offset).")
    case .tooDeep(let limit):
      .limit(.nesting, max: limit)
    }
  }
}
