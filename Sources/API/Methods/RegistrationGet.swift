import Accounts
import JSONRPC

/// Looks at one held registration.
public enum RegistrationGet: Method {
  public static let name: StaticString = "registration.get"
  public static let summary: StaticString = "Finds a held registration by its id."
  public static let description: StaticString = "One that is completed, discarded or expired is not found."
  public static let changes = false
  public static let errors: [ErrorReason] = [.notFound, .databaseUnavailable]

  public typealias Parameters = RegistrationParameters

  public struct Result: Shape, Equatable {
    public static let title = "RegistrationAnswer"

    public var registration = RegistrationShape()

    public init() {}

    public init(registration: RegistrationShape) {
      self.registration = registration
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("registration", &registration, "The registration.")
    }
  }
}
