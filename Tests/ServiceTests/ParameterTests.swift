import TestSupport
import Testing

/// Parameters that are not what a method takes are refused by their path.
struct ParameterTests {
  private func refusal(_ params: String, of method: String = "signin.resolve", through peer: TestPeer) async throws
    -> WireAnswer
  {
    let answer = try await peer.call(method, params)
    #expect(answer.code == -32602, "\(params)")
    #expect(answer.reason == "invalid_params", "\(params)")
    return answer
  }

  @Test func `an unknown parameter is refused by its name`() async throws {
    try await TestService.withPeer { _, peer in
      let claims = #""provider":"apple","subject":"s""#
      for (params, path) in [
        ("{\(claims),\"emial\":\"a@example.org\"}", "params.emial"), ("{\(claims),\"Link\":\"never\"}", "params.Link"),
        ("{\(claims),\"name\":{\"first\":\"Mira\"}}", "params.name.first"),
      ] {
        let answer = try await refusal(params, through: peer)
        #expect(answer.path == path)
      }
      for (method, params) in [
        ("system.ping", #"{"request_key":"k"}"#), ("user.get", #"{"email":"a@example.org","request_key":"k"}"#),
      ] {
        let answer = try await refusal(params, of: method, through: peer)
        #expect(answer.path == "params.request_key")
      }
    }
  }

  @Test func `null, the empty text and positional parameters are refused`() async throws {
    try await TestService.withPeer { _, peer in
      for (params, path) in [
        (#"{"provider":"apple","subject":"s","email":null}"#, "params.email"),
        (#"{"provider":"apple","subject":"s","email":""}"#, "params.email"),
        (#"{"provider":"apple","subject":""}"#, "params.subject"),
        (#"{"provider":"apple","subject":null}"#, "params.subject"),
        (#"{"provider":"apple","subject":"s","request_key":""}"#, "params.request_key"),
        (#"{"provider":"apple","subject":"s","name":{"given":""}}"#, "params.name.given"),
        (#"{"provider":"apple"}"#, "params.subject"), (#"["apple","s"]"#, "params"), ("[]", "params"),
      ] {
        let answer = try await refusal(params, through: peer)
        #expect(answer.path == path, "\(params)")
      }
    }
  }

  @Test func `evidence is refused and said to be for later versions`() async throws {
    try await TestService.withPeer { _, peer in
      let id = "0193a1b2-0000-7000-8000-0123456789ab"
      let evidence = #""evidence":{"provider":"apple","identity_token":"x"}"#
      for (method, params, path) in [
        ("identity.link", #"{"user_id":"\#(id)",\#(evidence)}"#, "params.evidence"),
        ("link.confirm", #"{"challenge_id":"\#(id)","proof":{\#(evidence)}}"#, "params.proof.evidence"),
      ] {
        let answer = try await peer.call(method, params)
        #expect(answer.reason == "invalid_params")
        #expect(answer.path == path)
        #expect(answer.error?["message"]?.string?.contains("not served by this version") == true)
      }
    }
  }

  @Test func `each limit of a claim is told with the path of what breaks it`() async throws {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    try await TestService.withPeer { _, peer in
      for (member, path, isRight) in [
        (#""subject":"\#(text(255))""#, "", true), (#""subject":"\#(text(256))""#, "params.subject", false),
        (#""subject":"s","nickname":"\#(text(255))""#, "", true),
        (#""subject":"s","nickname":"\#(text(256))""#, "params.nickname", false),
        (#""subject":"s","nickname":"a\u0007b""#, "params.nickname", false),
        (#""subject":"s","name":{"family":"\#(text(256))"}"#, "params.name.family", false),
        (#""subject":"s","picture":"\#(text(2048))""#, "", true),
        (#""subject":"s","picture":"\#(text(2049))""#, "params.picture", false),
        (#""subject":"s","locale":"\#(text(36))""#, "params.locale", false),
        (#""subject":"s","details":{"a":"\#(text(16_400))"}"#, "params.details", false),
        (#""subject":"s","details":[]"#, "params.details", false),
        (#""subject":"s","request_key":"\#(text(256))""#, "params.request_key", false),
        (#""subject":"s","email":"no address""#, "params.email", false),
      ] {
        let answer = try await peer.call("signin.resolve", #"{"provider":"apple",\#(member)}"#)
        #expect((answer.result != nil) == isRight, "\(member.prefix(40))")
        #expect((answer.path ?? "") == path)
      }
    }
  }

  @Test func `a reason that nobody can see is refused, whatever it is for`() async throws {
    let settings = TestService.Settings(callers: [TestService.caller(more: #", access_groups: ["*"]"#)])
    try await TestService.withPeer(settings) { _, peer in
      let a = try await peer.signIn("apple", "a").userID ?? ""
      let b = try await peer.signIn("apple", "b").userID ?? ""
      let plan = try await peer.call("merge.plan", #"{"users":["\#(a)","\#(b)"]}"#)
      let token = plan.result?["plan_token"]?.string ?? ""
      let id = "0193a1b2-0000-7000-8000-0123456789ab"
      for (method, params) in [
        ("user.disable", #""id":"\#(a)""#), ("user.enable", #""id":"\#(a)""#), ("user.erase", #""id":"\#(a)""#),
        ("merge.run", #""plan_token":"\#(token)""#), ("merge.undo", #""merge_id":"\#(id)""#),
        ("identity.link", #""user_id":"\#(a)","claims":{"provider":"apple","subject":"c"}"#),
        ("identity.unlink", #""user_id":"\#(a)","identity_id":"\#(id)""#),
        ("email.remove", #""user_id":"\#(a)","email":"a@example.org""#),
        ("registration.fail", #""registration_id":"\#(id)""#), ("registration.discard", #""registration_id":"\#(id)""#),
        ("credential.delete", #""access_group":"web","account":"a","service":"s""#),
      ] {
        for blank in [" ", #"\u202e"#, #"\u200b\u3000"#] {
          let answer = try await refusal("{\(params),\"reason\":\"\(blank)\"}", of: method, through: peer)
          #expect(answer.path == "params.reason", "\(method)")
        }
      }
    }
  }

  @Test func `a tenant may be left out only where the provider has one`() async throws {
    var settings = TestService.Settings()
    settings.namespaces.append(#"{ provider: "apple", tenant: "TEAM000002" }"#)
    try await TestService.withPeer(settings) { _, peer in
      let several = try await refusal(#"{"provider":"apple","subject":"s"}"#, through: peer)
      #expect(several.path == "params.tenant")
      let one = try await peer.call("signin.resolve", #"{"provider":"naver","subject":"s"}"#)
      #expect(one.outcome == "registered")
      let named = try await peer.call("signin.resolve", #"{"provider":"apple","tenant":"TEAM000002","subject":"s"}"#)
      #expect(named.outcome == "registered")
      for unknown in [
        #"{"provider":"apple","tenant":"TEAM000003","subject":"s"}"#, #"{"provider":"nobody","subject":"s"}"#,
        #"{"provider":"apple","tenant":"team000002","subject":"s"}"#,
      ] {
        let answer = try await peer.call("signin.resolve", unknown)
        #expect(answer.reason == "namespace_unknown")
        #expect(answer.code == 1003)
        #expect(answer.path == (unknown.contains("nobody") ? "params.provider" : "params.tenant"))
      }
    }
  }
}
