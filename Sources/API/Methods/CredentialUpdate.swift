import JSONRPC

/// Changes a credential.
public enum CredentialUpdate: Method {
  public static let name: StaticString = "credential.update"
  public static let summary: StaticString = "Changes a credential."
  public static let description: StaticString = """
    Members that are given replace those there are; the others stay. Those named in clear are removed.
    """
  public static let changes = true
  public static let takesSecret = true
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "CredentialUpdateParameters"

    public var place = CredentialPlaceMembers()
    public var secret: SecretValue?
    public var content = CredentialContentMembers()
    public var clear: [CredentialMember]?

    public init() {}

    public init(
      place: CredentialPlaceMembers, secret: SecretValue? = nil,
      content: CredentialContentMembers = CredentialContentMembers(), clear: [CredentialMember]? = nil
    ) {
      self.place = place
      self.secret = secret
      self.content = content
      self.clear = clear
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try place.members(&visitor)
      try visitor.member("secret", &secret, .credential, "What is to be kept sealed from now on.")
      try content.members(&visitor)
      try visitor.member("clear", &clear, .items(1...CredentialMember.allCases.count), "What to remove.")
    }

    public func contradiction() -> ShapeProblem? {
      guard secret != nil || clear != nil || content != CredentialContentMembers() else {
        return ShapeProblem(.combination, "must have something to change")
      }
      guard let member = clear?.first(where: { content.has($0) }) else { return nil }
      return ShapeProblem(.combination, at: "clear", "must not name \(member.rawValue), which is to be replaced")
    }
  }

  public typealias Result = CredentialAnswer
}

extension CredentialContentMembers {
  fileprivate func has(_ member: CredentialMember) -> Bool {
    switch member {
    case .label: label != nil
    case .userID: userID != nil
    case .expiresAt: expiresAt != nil
    case .attributes: attributes != nil
    }
  }
}
