import Accounts
import JSONRPC

/// Changes a user's profile.
public enum UserUpdate: Method {
  public static let name: StaticString = "user.update"
  public static let summary: StaticString = "Changes a user's profile."
  public static let description: StaticString = """
    Members of the profile that are given replace those there are; the others stay. Those named in clear are removed.
    """
  public static let changes = true
  public static let errors: [ErrorReason] = [.notFound, .userErased, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "UserUpdateParameters"

    public var id = UserID.unset
    public var profile: ProfileShape?
    public var clear: [ProfileMember]?

    public init() {}

    public init(id: UserID, profile: ProfileShape?, clear: [ProfileMember]? = nil) {
      self.id = id
      self.profile = profile
      self.clear = clear
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("id", &id, "Which user.")
      try visitor.member("profile", &profile, "What to replace. May be left out only with clear.")
      try visitor.member("clear", &clear, .items(1...ProfileMember.allCases.count), "What to remove.")
    }

    public func contradiction() -> ShapeProblem? {
      guard profile != nil || clear != nil else { return ShapeProblem(.missing, at: "profile", "is required") }
      guard let profile, let member = clear?.first(where: { profile.has($0) }) else { return nil }
      return ShapeProblem(.combination, at: "clear", "must not name \(member.rawValue), which is to be replaced")
    }
  }

  public typealias Result = UserAnswer
}

extension ProfileShape {
  fileprivate func has(_ member: ProfileMember) -> Bool {
    switch member {
    case .name: name != nil
    case .nickname: nickname != nil
    case .picture: picture != nil
    case .locale: locale != nil
    case .details: details != nil
    }
  }
}
