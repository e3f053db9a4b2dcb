import API
import JSONRPC

extension MethodTable {
  mutating func serveSystemPing() {
    serve(SystemPing.self) { _ throws(RPCError) in .result(SystemPing.Result()) }
  }
}
