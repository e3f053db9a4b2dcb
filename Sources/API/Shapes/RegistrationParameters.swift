import Accounts

/// Which registration.
public struct RegistrationParameters: Shape, Equatable {
  public static let title = "RegistrationParameters"

  public var registrationID = RegistrationID.unset

  public init() {}

  public init(registrationID: RegistrationID) {
    self.registrationID = registrationID
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("registration_id", &registrationID, "Which registration.")
  }
}
