import API
import JSONRPC

extension MethodTable {
  mutating func serveRPCDiscover() {
    serve(RPCDiscover.self) { call throws(RPCError) in
      .kept(call.context.worker.server.interface)
    }
  }
}
