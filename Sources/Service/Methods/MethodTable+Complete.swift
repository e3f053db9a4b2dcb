extension MethodTable {
  /// Every method, the most called first: they are looked for in this order.
  static let complete: MethodTable = {
    var table = MethodTable()
    table.serveSignInResolve()
    table.serveCredentialGet()
    table.serveUserGet()
    table.serveUserSearch()
    table.serveUserUpdate()
    table.serveUserDisable()
    table.serveUserEnable()
    table.serveIdentityGet()
    table.serveIdentityList()
    table.serveEmailList()
    table.serveCredentialAdd()
    table.serveCredentialUpdate()
    table.serveCredentialPut()
    table.serveCredentialDelete()
    table.serveCredentialList()
    table.serveCredentialHistory()
    table.serveSystemPing()
    table.serveServerStatus()
    table.serveServerMetrics()
    table.serveRPCDiscover()
    return table
  }()
}
