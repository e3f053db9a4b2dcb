import TestSupport
import Testing

/// Pairs who are probably one person, over the socket.
struct DuplicateTests {
  private func pairs(_ answer: WireAnswer) -> [String] {
    (answer.result?["items"]?.elements ?? []).map { item in
      let users = item["users"]?.elements.map { $0["id"]?.string ?? "" } ?? []
      let codes = item["reasons"]?.elements.map { $0["code"]?.string ?? "" } ?? []
      return "\(users.joined(separator: " ")) \(codes.joined(separator: ","))"
    }
  }

  @Test func `a person who came by Naver and by Apple is told, until they are merged`() async throws {
    try await TestService.with { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      let first =
        try await peer.signIn(
          "naver", "n1", "haneul@example.org",
          #""name":{"full":"김하늘"},"details":{"birthday":"10-01","birthyear":"1990"}"#
        ).userID ?? ""
      let second =
        try await peer.signIn(
          "apple", "a1", "q7@privaterelay.appleid.com", verified: true, #""name":{"given":"Ha-neul","family":"Kim"}"#
        ).userID ?? ""
      _ = try await peer.signIn("apple", "a2", "noor@example.org", verified: true, #""name":{"full":"Noor Okafor"}"#)

      let found = try await peer.call("duplicate.list", #"{"include":["profile","emails"]}"#)
      #expect(pairs(found) == ["\(first) \(second) relay_and_real_address,same_name_transliterated"])
      #expect(found.text.contains(#""score":0.55"#))
      // A claimed address, a birthday and three names.
      #expect(found.result?["scanned"]?.integer == 5)
      #expect(found.result?["crowded"]?.integer == 0 && found.result?["next"] == nil)
      let user = found.result?["items"]?[0]?["users"]?[0]
      #expect(user?["profile"]?["name"]?["full"]?.string == "김하늘")
      #expect(user?["emails"]?[0]?["verified"]?.bool == false)

      // Who cannot be so sure is not looked at: the claimed address and the birthday are, and names are not.
      // What lies between two hundredths is at least the higher.
      let sure = try await peer.call("duplicate.list", #"{"min_score":0.551}"#)
      #expect(pairs(sure).isEmpty && sure.result?["next"] == nil && sure.result?["scanned"]?.integer == 2)
      #expect(pairs(try await peer.call("duplicate.list", #"{"min_score":0.55}"#)) == pairs(found))
      #expect(try await peer.call("duplicate.list", #"{"min_score":1.1}"#).path == "params.min_score")

      let born = #"{"id":"\#(second)","profile":{"details":{"birthdate":"1990-10-01"}}}"#
      #expect(try await peer.call("user.update", born).result != nil)
      let surer = try await peer.call("duplicate.list", "{}")
      #expect(
        pairs(surer) == ["\(first) \(second) same_name_and_birthday,relay_and_real_address,same_name_transliterated"])
      #expect(surer.text.contains(#""score":0.95"#))
      let page = try await peer.call("duplicate.list", #"{"limit":1}"#)
      let next = page.result?["next"]?.string ?? ""
      #expect(pairs(page).count == 1 && page.result?["scanned"]?.integer == 1)
      let rest = try await peer.call("duplicate.list", #"{"limit":1,"after":"\#(next)"}"#)
      #expect(pairs(rest).isEmpty && rest.result?["next"] == nil)
      #expect(rest.result?["scanned"]?.integer == 5 && rest.result?["total"] == nil)

      let plan = try await peer.call("merge.plan", #"{"users":["\#(first)","\#(second)"]}"#)
      let token = plan.result?["plan_token"]?.string ?? ""
      let merged = try await peer.call("merge.run", #"{"plan_token":"\#(token)","reason":"one person"}"#)
      #expect(merged.result != nil, "\(merged.text)")
      let after = try await peer.call("duplicate.list", "{}")
      #expect(pairs(after).isEmpty && after.result?["crowded"]?.integer == 0)
    }
  }

  @Test func `a place that is none is refused by its name`() async throws {
    try await TestService.with { services, _ in
      let peer = try services[0].connect()
      defer { peer.close() }
      for place in ["x", "1.x=mira@example.org"] {
        let refused = try await peer.call("duplicate.list", #"{"after":"\#(place)"}"#)
        #expect(refused.error?["data"]?["path"]?.string == "params.after", "\(refused.text)")
      }
    }
  }
}
