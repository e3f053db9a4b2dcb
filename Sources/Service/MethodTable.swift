import API
import Accounts
import EventLoop
import JSON
import JSONRPC
import Store

/// A call whose parameters are read, ready to be run.
protocol ReadyCall: AnyObject {
  func run()
}

/// One call of a method as its code sees it. The code answers once.
final class Invocation<M: Method>: ReadyCall, Sendable {
  let parameters: M.Parameters
  let requestKey: RequestKey?
  let context: CallContext
  private let body: @Sendable (Invocation<M>) -> Void

  /// Reads the parameters.
  init(
    _ params: JSONValue?, _ context: CallContext, _ body: @escaping @Sendable (Invocation<M>) -> Void
  ) throws(RPCError) {
    let request = try Request<M>(decoding: params)
    parameters = request.parameters
    requestKey = try context.requestKey(request.requestKey, M.self, params: params)
    self.context = context
    self.body = body
  }

  func run() { body(self) }

  func answer(_ reply: Reply<M>) {
    switch reply {
    case .result(let result): answer(result)
    case .kept(let bytes): context.answer { $0.raw(bytes) }
    }
  }

  func answer(_ result: consuming M.Result) {
    var response = response(result)
    context.answer { response.encodeInPlace(into: &$0) }
  }

  func refuse(_ error: RPCError) { context.refuse(error) }

  /// Writes a result of this call as JSON text.
  @Sendable func encode(_ result: M.Result) -> [UInt8] {
    var writer = JSONWriter()
    response(result).encode(into: &writer)
    return writer.take()
  }

  private func response(_ result: consuming M.Result) -> Response<M> {
    Response(result, requestID: ExactText(context.requestID))
  }
}

/// What a method's code gives back.
enum Reply<M: Method>: Sendable {
  case result(M.Result)
  /// The JSON text of a result, kept from the first call under this request key.
  case kept([UInt8])
}

/// The methods that are served, each with the code that answers it.
struct MethodTable: Sendable {
  struct Entry: Sendable {
    let name: StaticString
    /// Reads the parameters.
    let prepare: @Sendable (JSONValue?, CallContext) throws(RPCError) -> any ReadyCall
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
    serve(
      M.self,
      starting: { call in
        Task.immediate(executorPreference: call.context.worker.loop) {
          do throws(RPCError) {
            call.answer(try await body(call))
          } catch {
            call.refuse(error)
          }
        }
      })
  }

  /// Serves a method by a function that sees to it that the call is answered later: for the one that is called most, since
  /// a task for each call costs a good part of the whole answer.
  mutating func serve<M: Method>(_: M.Type, starting body: @escaping @Sendable (Invocation<M>) -> Void) {
    entries.append(
      Entry(name: M.name) { params, context throws(RPCError) in try Invocation<M>(params, context, body) })
  }
}
