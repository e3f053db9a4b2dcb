import Accounts
import JSONRPC

/// Makes a user of somebody whose details are held.
public enum RegistrationComplete: Method {
  public static let name: StaticString = "registration.complete"
  public static let summary: StaticString = "Makes the user from the held details."
  public static let description: StaticString = """
    Decides as for a sign-in with the held details: an address that has found an owner meanwhile leads to linked or \
    link_required, never to a second holder. A registration that is completed already answers with the same user.
    """
  public static let changes = true
  public static let takesSecret = true
  public static let errors: [ErrorReason] = [.notFound, .userDisabled, .databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "RegistrationCompleteParameters"

    public var registrationID = RegistrationID.unset
    /// What the app knows better than the provider.
    public var profile: ProfileShape?
    public var include: [Include]?

    public init() {}

    public init(registrationID: RegistrationID, profile: ProfileShape? = nil, include: [Include]? = nil) {
      self.registrationID = registrationID
      self.profile = profile
      self.include = include
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("registration_id", &registrationID, "Which registration.")
      try visitor.member("profile", &profile, "What the app knows better; the held details fill its gaps.")
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of the user to answer with.")
    }
  }

  public typealias Result = SignInResult
}
