extension MethodTable {
  /// Every method, the most called first: they are looked for in this order.
  static let complete: MethodTable = {
    var table = MethodTable()
    table.serveSignInResolve()
    table.serveUserGet()
    table.serveUserSearch()
    table.serveUserUpdate()
    table.serveUserDisable()
    table.serveUserEnable()
    table.serveIdentityGet()
    table.serveIdentityList()
    table.serveEmailList()
    table.serveSystemPing()
    table.serveServerStatus()
    table.serveServerMetrics()
    table.serveKeyStatus()
    table.serveKeyRewrap()
    table.serveRPCDiscover()
    return table
  }()
}
