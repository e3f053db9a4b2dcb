import Accounts

/// One change of a credential, as its history tells it.
public struct CredentialVersionShape: Shape, Equatable {
  public static let title = "CredentialVersion"

  public var credentialID = CredentialID.unset
  public var version = 0
  public var action = CredentialAction.add
  public var at = Timestamp.unset
  public var caller: ExactText?

  public init() {}

  public init(
    credentialID: CredentialID, version: Int, action: CredentialAction, at: Timestamp, caller: ExactText?
  ) {
    self.credentialID = credentialID
    self.version = version
    self.action = action
    self.at = at
    self.caller = caller
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member(
      "credential_id", &credentialID, "Which one: what is deleted and added again is another, and counts from 1.")
    try visitor.member("version", &version, .range(1...Int.max), "The version that this made.")
    try visitor.member("action", &action, "What was done.")
    try visitor.member("at", &at, "When.")
    try visitor.member("caller", &caller, .text(bytes: 1...CallerName.bytesMax), "By whom; absent for what expired.")
  }
}

extension CredentialAction: WireWord {}
