import API
import JSONRPC

extension MethodTable {
  mutating func serveRPCDiscover() {
    serve(RPCDiscover.self) { call throws(RPCError) in
      .result(OpenRPC.document(apiVersion: call.context.worker.server.version))
    }
  }
}
