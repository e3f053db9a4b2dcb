import Accounts

/// A root key, and what it seals.
public struct KeyShape: Shape, Equatable {
  public static let title = "Key"

  public var id: ExactText = ""
  public var state = KeyStateWord.unknown
  public var records = 0
  public var registrations = 0
  public var credentials = 0
  public var keptAnswers = 0

  public init() {}

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("id", &id, .text(bytes: 1...32), "What names the key.")
    try visitor.member("state", &state, "What it may be used for; unknown when the keyset does not have it.")
    try visitor.member("records", &records, .count, "How many records it seals.")
    try visitor.member("registrations", &registrations, .count, "How many of them are held registrations.")
    try visitor.member("credentials", &credentials, .count, "How many of them are credentials.")
    try visitor.member(
      "kept_answers", &keptAnswers, .count, "How many of them are answers kept under request keys.")
  }
}
