/// Every method there is, in the order in which the interface is described.
public enum MethodRegistry {
  public static let all: [any Method.Type] = [
    SignInResolve.self,
    UserGet.self,
    UserSearch.self,
    UserUpdate.self,
    UserDisable.self,
    UserEnable.self,
    IdentityList.self,
    IdentityGet.self,
    EmailList.self,
    KeyStatus.self,
    KeyRewrap.self,
    ServerStatus.self,
    ServerMetrics.self,
    RPCDiscover.self,
    SystemPing.self,
  ]
}
