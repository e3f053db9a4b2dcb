import Glibc
import TestSupport
import Testing

/// The audit trail as administrators look at it.
@Suite(.timeLimit(.minutes(5))) struct AuditTests {
  @Test func `the trail is listed from its end, page by page, and by user`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect(to: .admin)
      defer { peer.close() }
      #expect(try await peer.call("audit.list").result?["items"]?.elements.isEmpty == true)
      let users = [
        try await peer.signIn("apple", "mira").userID ?? "", try await peer.signIn("apple", "ron").userID ?? "",
      ]
      for user in [users[0], users[1], users[0]] {
        let change = try await peer.call("user.update", #"{"id":"\#(user)","profile":{"nickname":"N\#(user.count)"}}"#)
        #expect(change.error == nil)
        _ = try await peer.call("user.disable", #"{"id":"\#(user)","reason":"lost her phone"}"#)
        _ = try await peer.call("user.enable", #"{"id":"\#(user)","reason":"found it"}"#)
      }
      let all = try await peer.call("audit.list").result?["items"]?.elements ?? []
      #expect(all.map { $0["seq"]?.integer } == Array((1...all.count).reversed()))
      let first = all.last
      #expect(first?["action"]?.string == "user.update" && first?["data"]?["changed"]?[0]?.string == "nickname")
      #expect(first?["reason"] == nil && first?["caller"]?.string == "tests")
      #expect(first?["user_id"]?.string == users[0] && first?["peer_uid"]?.integer == Int(geteuid()))
      #expect(all[0]["action"]?.string == "user.enable" && all[0]["reason"]?.string == "found it")

      var paged: [Int?] = []
      var after = ""
      repeat {
        let page = try await peer.call("audit.list", #"{"limit":2\#(after)}"#).result
        paged += page?["items"]?.elements.map { $0["seq"]?.integer } ?? []
        after = page?["next"]?.string.map { #","after":"\#($0)""# } ?? ""
      } while !after.isEmpty
      #expect(paged == all.map { $0["seq"]?.integer })

      let rons = try await peer.call("audit.list", #"{"user_id":"\#(users[1])"}"#).result?["items"]?.elements ?? []
      #expect(rons.count == 3 && rons.allSatisfy { $0["user_id"]?.string == users[1] })
      // What was done to somebody who was merged is told with the survivor.
      try await database.script(
        """
        delete from kith.identities where user_id = '\(users[1])';
        update kith.users set status = 'merged', merged_into = '\(users[0])' where id = '\(users[1])';
        """, as: .superuser)
      let both = try await peer.call("audit.list", #"{"user_id":"\#(users[0])"}"#).result?["items"]?.elements ?? []
      #expect(both.count == all.count)
      for place in ["x", "0", "-1", "01"] {
        #expect(try await peer.call("audit.list", #"{"after":"\#(place)"}"#).path == "params.after", "\(place)")
      }
    }
  }

  @Test func `the trail is verified whole or in parts, and the first bad place is told`() async throws {
    try await TestService.with { services, database in
      let peer = try services[0].connect(to: .admin)
      defer { peer.close() }
      let empty = try await peer.call("audit.verify").result
      #expect(empty?["ok"]?.bool == true && empty?["checked"]?.integer == 0)
      try await database.script(
        """
        select kith.append_audit('ops', 1000, 'user.disable', null, 'r' || n, '{}') from generate_series(1, 5000) n
        """)
      func verdict(_ params: String = "{}") async throws -> String {
        let result = try await peer.call("audit.verify", params).result
        return
          "\(result?["ok"]?.bool ?? false) \(result?["checked"]?.integer ?? -1) \(result?["first_bad"]?.integer ?? 0)"
      }
      #expect(try await verdict() == "true 5000 0")
      var (parts, checked, after) = (0, 0, "")
      repeat {
        let part = try await peer.call("audit.verify", #"{"limit":1250\#(after)}"#).result
        #expect(part?["ok"]?.bool == true)
        parts += 1
        checked += part?["checked"]?.integer ?? 0
        after = part?["next"]?.string.map { #","after":"\#($0)""# } ?? ""
      } while !after.isEmpty
      #expect(parts == 5 && checked == 5000)
      for place in ["x", "1", "1.x", "-1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] {
        #expect(try await peer.call("audit.verify", #"{"after":"\#(place)"}"#).path == "params.after", "\(place)")
      }
      // As somebody with the disk could.
      try await database.script(
        """
        alter table kith.audit disable trigger user;
        update kith.audit set reason = 'forged' where seq = 3210;
        """, as: .superuser)
      #expect(try await verdict().hasPrefix("false ") == true)
      #expect(try await verdict().hasSuffix(" 3210") == true)
      #expect(try await verdict(#"{"limit":100}"#) == "true 100 0")
      try await database.script(
        "update kith.audit set reason = 'r3210' where seq = 3210; delete from kith.audit where seq > 4990",
        as: .superuser)
      #expect(try await verdict() == "false 4990 4991")
    }
  }
}
