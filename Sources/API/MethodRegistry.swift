/// Every method there is, in the order in which the interface is described.
public enum MethodRegistry {
  public static let all: [any Method.Type] = [
    SignInResolve.self,
    RegistrationComplete.self,
    RegistrationGet.self,
    RegistrationList.self,
    UserGet.self,
    UserSearch.self,
    UserUpdate.self,
    UserDisable.self,
    UserEnable.self,
    IdentityList.self,
    IdentityGet.self,
    EmailList.self,
    CredentialAdd.self,
    CredentialUpdate.self,
    CredentialPut.self,
    CredentialGet.self,
    CredentialList.self,
    CredentialDelete.self,
    CredentialHistory.self,
    ServerStatus.self,
    ServerMetrics.self,
    RPCDiscover.self,
    SystemPing.self,
  ]
}
