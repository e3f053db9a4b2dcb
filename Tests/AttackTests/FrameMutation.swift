import TestSupport

/// Valid lines with something wrong at random places.
enum FrameMutation {
  private static let lines = [
    TestPeer.call(
      "signin.resolve",
      #"{"provider":"apple","subject":"mira","email":"mira@example.org","email_verified":true,"name":{"given":"Mira"}}"#,
      id: "1"),
    TestPeer.call("user.get", #"{"email":"mira@example.org","include":["profile","emails"]}"#, id: #""a\u00e9""#),
    TestPeer.call("user.search", #"{"query":"mi","limit":10}"#, id: "2.50"),
    TestPeer.call(
      "user.update", #"{"id":"01900000-0000-7000-8000-000000000000","profile":{"nickname":"m"}}"#, id: "null"),
    "[" + TestPeer.call("system.ping", id: "3") + "," + TestPeer.call("server.status", id: "4") + "]",
  ].map { Array($0.utf8) }

  private static let pieces = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "-1e999", "\\u0000", "\\ud800", "\u{212A}", "\u{FF20}",
    "\r",
    "\n", "\0", "\u{FEFF}", "9999999999999999999999", "\"id\":", "request_key", "%s", "'--", "$1",
  ].map { Array($0.utf8) }

  static func line(_ random: inout SeededRandom) -> [UInt8] {
    var line = lines.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0...line.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: line.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      case 1: line.removeSubrange(place..<min(line.count, place + Int.random(in: 1...8, using: &random)))
      case 2 where place < line.count: line[place] = UInt8.random(in: 0...255, using: &random)
      case 3 where place < line.count: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 4: line.insert(contentsOf: line[place..<min(line.count, place + 20)], at: place)
      default: line = Array(line[..<place])
      }
      if line.isEmpty { line = lines[0] }
    }
    return line
  }
}
