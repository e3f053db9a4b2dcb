import JSONRPC

/// One method of the interface, defined once: what decodes its calls also describes them.
public protocol Method: Sendable {
  associatedtype Parameters: Shape
  associatedtype Result: Shape

  static var name: StaticString { get }
  /// What it is for, in one line.
  static var summary: StaticString { get }
  /// What a caller has to know beyond that.
  static var description: StaticString { get }
  /// Whether a call can change something: then it takes a request key and its result carries the request id.
  static var changes: Bool { get }
  /// Whether a repeat does no more than the first call, whatever came between: then a client makes up no request key for its
  /// own repeats.
  static var isRepeatable: Bool { get }
  /// Whether its parameters hold what is stored sealed, a secret or details of a person: then not even a digest of them is
  /// stored that somebody could compute without the keyset, for what is likely could be tried.
  static var takesSecret: Bool { get }
  /// Whether its parameters hold what would be lost with the call: then a failure tells whether it is kept.
  static var bringsDetails: Bool { get }
  /// The errors particular to it; those of every method are added.
  static var errors: [ErrorReason] { get }
}

extension Method {
  public static var isRepeatable: Bool { false }
  public static var takesSecret: Bool { false }
  public static var bringsDetails: Bool { false }

  /// Every error a call can be answered with once its message was understood.
  public static var allErrors: [ErrorReason] {
    let always: [ErrorReason] = [.invalidParams, .methodForbidden, .shuttingDown, .internal]
    let changing: [ErrorReason] = changes ? [.requestKeyReused, .inProgress, .storageFull] : []
    return always + changing + errors
  }
}
