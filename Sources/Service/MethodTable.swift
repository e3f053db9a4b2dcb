import API
import Accounts
import EventLoop
import JSON
import JSONRPC
import Store

/// What a method's code is given. An object, because parameters are many and are passed on often.
final class Invocation<M: Method>: Sendable {
  let parameters: M.Parameters
  let requestKey: RequestKey?
  let context: CallContext

  init(_ request: Request<M>, params: JSONValue?, context: CallContext) {
    parameters = request.parameters
    requestKey = context.requestKey(request.requestKey, method: M.name, params: params)
    self.context = context
  }

  /// Writes a result of this call as JSON text.
  @Sendable func encode(_ result: M.Result) -> [UInt8] {
    var writer = JSONWriter()
    write(result, to: &writer)
    return writer.take()
  }

  func write(_ result: M.Result, to writer: inout JSONWriter) {
    var response = Response<M>(result, requestID: ExactText(context.requestID))
    response.encodeInPlace(into: &writer)
  }
}

/// What a method's code gives back.
enum Reply<M: Method>: Sendable {
  case result(M.Result)
  /// The JSON text of a result, kept from the first call under this request key.
  case kept([UInt8])
}

/// A call whose parameters are read, ready to be run.
typealias ReadyCall = () -> Void

/// The methods that are served, each with the code that answers it.
struct MethodTable: Sendable {
  struct Entry: Sendable {
    let name: StaticString
    /// Reads the parameters; the call runs when what it returns is called.
    let prepare: @Sendable (JSONValue?, CallContext, PendingAnswer) throws(RPCError) -> ReadyCall
  }

  private(set) var entries: [Entry] = []

  var names: [StaticString] { entries.map(\.name) }

  func place(of method: JSONValue) -> Int? {
    entries.firstIndex { method.equals($0.name) }
  }

  /// Serves a method by a function.
  mutating func serve<M: Method>(
    _: M.Type, _ body: @escaping @Sendable (Invocation<M>) async throws(RPCError) -> Reply<M>
  ) {
    entries.append(
      Entry(name: M.name) { params, context, pending throws(RPCError) in
        let invocation = Invocation(try Request<M>(decoding: params), params: params, context: context)
        return {
          Task.immediate(executorPreference: context.worker.loop) {
            do throws(RPCError) {
              let reply = try await body(invocation)
              pending.answer { writer in
                switch reply {
                case .result(let result): invocation.write(result, to: &writer)
                case .kept(let bytes): writer.raw(bytes)
                }
              }
            } catch {
              pending.refuse(error)
            }
          }
        }
      })
  }
}
