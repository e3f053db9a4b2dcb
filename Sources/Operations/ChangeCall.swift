import Accounts
import Store

/// Who asks for a change, and under which request key.
public struct ChangeCall<Result: Sendable>: Sendable {
  public let caller: CallerName
  /// The caller's user id as the kernel told it.
  public let peerUID: UInt32
  public let requestKey: RequestKey?
  /// Writes a result as JSON text, for the answer that is kept under the request key.
  public let encode: @Sendable (Result) -> [UInt8]

  public init(
    caller: CallerName, peerUID: UInt32, requestKey: RequestKey?, encode: @escaping @Sendable (Result) -> [UInt8]
  ) {
    self.caller = caller
    self.peerUID = peerUID
    self.requestKey = requestKey
    self.encode = encode
  }
}
