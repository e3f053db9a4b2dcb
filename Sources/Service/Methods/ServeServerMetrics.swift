import API
import Accounts
import JSONRPC

extension MethodTable {
  mutating func serveServerMetrics() {
    serve(ServerMetrics.self) { call throws(RPCError) in
      let worker = call.context.worker
      let text = MetricsText(
        await worker.server.metrics(), methods: worker.methods.names, consumers: worker.server.consumers(by: worker),
        isDatabaseUp: worker.operations.reads.isAvailable, uptimeSeconds: worker.server.uptimeSeconds)
      var result = ServerMetrics.Result()
      result.contentType = ExactText(MetricsText.contentType)
      result.text = ExactText(text.text)
      return .result(result)
    }
  }
}
