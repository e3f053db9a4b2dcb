import Accounts

/// Which credential: members that the parameters of nearly every method about credentials have.
public struct CredentialPlaceMembers: Equatable, Sendable {
  public var accessGroup: ExactText = ""
  public var account: ExactText = ""
  public var service: ExactText = ""

  public init() {}

  public init(accessGroup: ExactText, account: ExactText, service: ExactText) {
    self.accessGroup = accessGroup
    self.account = account
    self.service = service
  }

  mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("access_group", &accessGroup, .credentialName, "The access group, one of the caller's.")
    try visitor.member("account", &account, .credentialName, "Whose it is, in words of the app's own.")
    try visitor.member("service", &service, .credentialName, "What it is for.")
  }
}

/// One credential, and nothing else.
public struct CredentialPlaceParameters: Shape, Equatable {
  public static let title = "CredentialPlace"

  public var place = CredentialPlaceMembers()

  public init() {}

  public init(place: CredentialPlaceMembers) {
    self.place = place
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try place.members(&visitor)
  }
}
