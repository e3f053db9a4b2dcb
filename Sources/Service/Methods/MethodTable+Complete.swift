extension MethodTable {
  /// Every method, the most called first: they are looked for in this order.
  static let complete: MethodTable = {
    var table = MethodTable()
    table.serveSignInResolve()
    table.serveSystemPing()
    table.serveServerStatus()
    table.serveServerMetrics()
    table.serveRPCDiscover()
    return table
  }()
}
