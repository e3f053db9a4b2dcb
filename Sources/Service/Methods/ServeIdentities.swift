import API
import Accounts
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveIdentityList() {
    serve(IdentityList.self) { call throws(RPCError) in
      let page = try PageRequest<IdentityID>(call.parameters.page)
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.listUserIdentities.list(of: call.parameters.userID, page: page)
      }
      return .result(ListResult(items: found.items.map { IdentityShape($0) }, next: found.next))
    }
  }

  mutating func serveIdentityGet() {
    serve(IdentityGet.self) { call throws(RPCError) in
      guard let named = call.parameters.selector else { throw RPCError(.invalidParams) }
      let selector: FindIdentity.Selector =
        switch named {
        case .id(let id): .id(id)
        case .identity(let identity): .key(try call.context.storedKey(identity))
        }
      let found = try await translating(call.context) { () throws(OperationError) in
        try await call.context.worker.operations.findIdentity.find(selector)
      }
      return .result(IdentityGet.Result(identity: IdentityShape(found)))
    }
  }
}

extension CallContext {
  /// The key under which an identity that parameters name is stored.
  func storedKey(_ selector: IdentitySelector) throws(RPCError) -> StoredKey {
    let namespace = try namespace(provider: selector.provider, tenant: selector.tenant)
    guard let subject = Subject(selector.subject.string) else {
      throw RPCError(.invalidParams, details: [.path("params.subject"), .problem(.length)])
    }
    guard let number = namespace.number else { throw databaseIsMissing }
    return StoredKey(namespace: number, subject: subject)
  }
}

extension PageRequest {
  /// Reads which part of a list parameters ask for.
  init(_ page: Page) throws(RPCError) {
    do throws(InvalidPlace) {
      try self.init(after: page.after, limit: page.effectiveLimit)
    } catch {
      throw RPCError(
        .invalidParams, "The parameter after is not the next of an earlier page.",
        details: [.path("params.after"), .problem(.format)])
    }
  }
}
