import Accounts

/// A user who may be the person that signs in.
public struct CandidateShape: Shape, Equatable {
  public static let title = "Candidate"

  public var userID = UserID.unset
  public var providers: [ExactText] = []

  public init() {}

  public init(userID: UserID, providers: [ExactText]) {
    self.userID = userID
    self.providers = providers
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("user_id", &userID, "The user's id.")
    try visitor.member(
      "providers", &providers, .items(0...100, .provider), "With what the user can prove who they are.")
  }
}
