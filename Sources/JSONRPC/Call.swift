import JSON

/// A call as it was received. Its method and parameters are valid only until the decoder's next message.
public struct Call {
  /// The name of the method: a string.
  public let method: JSONValue
  /// An object or an array, or nil if absent.
  public let params: JSONValue?
  /// nil for a notification, which is never answered.
  public let id: CallID?
}
