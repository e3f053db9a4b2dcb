/// One answer of the daemon.
public struct WireAnswer: Sendable {
  /// The line as it came, without its end.
  public let line: [UInt8]
  public let json: WireJSON

  public init(line: [UInt8]) throws {
    self.line = line
    json = try WireJSON(line)
  }

  public init(_ json: WireJSON) {
    line = []
    self.json = json
  }

  public var text: String { String(decoding: line, as: UTF8.self) }
  public var id: WireJSON? { json["id"] }
  public var result: WireJSON? { json["result"] }
  public var error: WireJSON? { json["error"] }
  public var code: Int? { error?["code"]?.integer }
  /// Why it was refused; nil if it was not.
  public var reason: String? { error?["data"]?["reason"]?.string }
  public var path: String? { error?["data"]?["path"]?.string }
  /// The limit that refused it.
  public var limit: String? { error?["data"]?["limit"]?.string }
  public var outcome: String? { result?["outcome"]?.string }
  public var userID: String? { result?["user"]?["id"]?.string }

  /// What came of the call in one word: its outcome, or the reason of its refusal.
  public var word: String { outcome ?? reason ?? "?" }
}
