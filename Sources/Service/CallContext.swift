import Accounts
import Crypto
import JSON
import JSONRPC
import Store

/// Everything about one call but its parameters.
struct CallContext: Sendable {
  let worker: Worker
  let access: Access
  let requestID: String

  var caller: Caller { access.caller }

  /// The key under which the answer of this call is kept, if the caller gave one.
  ///
  /// - Parameter params: all parameters; they are compared without regard to the order of members.
  func requestKey(_ key: ExactText?, method: StaticString, params: JSONValue?) -> RequestKey? {
    guard let key, let params else { return nil }
    var writer = JSONWriter()
    params.writeCanonical(into: &writer)
    return RequestKey(
      caller: caller.name, method: ExactText(method.description), key: key,
      parametersDigest: SHA256.digest(of: writer.take()))
  }
}
