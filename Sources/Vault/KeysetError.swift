/// Why a keyset was refused. It names the key and where it stands, never what the key is.
public struct KeysetError: Error, Hashable, Sendable {
  public enum Problem: Hashable, Sendable {
    case notJSON
    case tooLarge(bytesMax: Int)
    /// The outermost value, or an entry of `keys`, is no object.
    case notAnObject
    case unknownMember
    /// An object has two members of one name; the line is that of its end.
    case memberTwice
    case versionUnknown
    case noKeys
    case tooManyKeys(max: Int)
    case idInvalid
    case idTwice
    case keyNotBase64
    case keyLength
    /// All its bytes are zero: a place that was made for a key and never filled.
    case keyUnset
    /// Two ids for the same bytes: changing from one to the other would change nothing.
    case sameKey(as: KeyID)
    case stateUnknown
    case noPrimary
    case secondPrimary(beside: KeyID)
    // Of changes:
    case noSuchKey
    case alreadyPrimary
    case alreadyRetired
    case primaryCannotRetire
    /// There are no random bytes to make a key of.
    case noRandomBytes
  }

  public let problem: Problem
  /// The key in question, where one is and has an id.
  public let key: KeyID?
  /// Where it stands in the file, from 1.
  public let line: Int?

  public init(_ problem: Problem, key: KeyID? = nil, line: Int? = nil) {
    self.problem = problem
    self.key = key
    self.line = line
  }
}

extension KeysetError: CustomStringConvertible {
  /// Such as `line 4: key "k2" has not 32 bytes`.
  public var description: String {
    let subject = key.map { "key \"\($0)\"" } ?? "the keyset"
    return (line.map { "line \($0): " } ?? "") + subject + " " + complaint
  }

  private var complaint: String {
    switch problem {
    case .notJSON: "is not JSON"
    case .tooLarge(let bytesMax): "has more than \(bytesMax) bytes"
    case .notAnObject: "holds something else where an object { } is expected"
    case .unknownMember:
      key == nil
        ? "has a member other than \"version\" and \"keys\", or \"id\", \"key\" and \"state\" of a key"
        : "has a member other than \"id\", \"key\" and \"state\""
    case .memberTwice: "has two members of one name in an object that ends here"
    case .versionUnknown: "has not \"version\": \(Keyset.version)"
    case .noKeys: "has no \"keys\""
    case .tooManyKeys(let max): "has more than \(max) keys"
    case .idInvalid: "has a key without an \"id\" of 1 to \(KeyID.bytesMax) letters, digits, \".\", \"_\" and \"-\""
    case .idTwice: "stands twice"
    case .keyNotBase64: "is not base64"
    case .keyLength: "has not \(RootKey.keyBytes) bytes"
    case .keyUnset: "is unset: it has only zero bytes"
    case .sameKey(let other): "is the same as key \"\(other)\""
    case .stateUnknown: "has not one of the states \(RootKey.State.allCases.map(\.rawValue).joined(separator: ", "))"
    case .noPrimary: "has no primary key"
    case .secondPrimary(let other): "is primary, and so is key \"\(other)\""
    case .noSuchKey: "does not exist"
    case .alreadyPrimary: "is primary already"
    case .alreadyRetired: "is retired"
    case .noRandomBytes: "gets no new key: there are no random bytes"
    case .primaryCannotRetire: "is primary and cannot be retired; promote another one first"
    }
  }
}
