import Testing

/// Somebody who goes through every path there is, in several accounts that become one. Everything that is said of them bears a
/// mark, so that whatever is left of them anywhere is found by it.
public struct CanaryLife: Sendable {
  public let mark: String
  /// Everything that was said, and stands in the database in clear at the end.
  public private(set) var said: Set<String> = []
  private var keyCount = 0
  /// Stands for the mark where that must not be.
  private var number: Int { mark.utf8.reduce(0) { $0 &* 31 &+ Int($1) } }
  private let all = #""include":["profile","emails","identities"]"#

  /// - Parameter mark: lower-case letters.
  public init(mark: String) { self.mark = mark }

  /// Lives, and gives the id of the user who is left.
  ///
  /// - Parameter peer: of a caller who may assert claims and use all credentials.
  public mutating func live(on peer: TestPeer) async throws -> String {
    let user = try await beApple(on: peer)
    for other in [try await beHeld(on: peer), try await beLinkedIn(on: peer)] {
      try await linkAndUnlink(other, on: peer)
      try await keepSecrets(of: other, on: peer)
      // There and back, and there for good.
      let merge = try await self.merge(user, other, on: peer)
      _ = try await made(
        peer.call("merge.undo", #"{"merge_id":"\#(merge)","reason":"try",\#(key())}"#))
      _ = try await self.merge(user, other, on: peer)
    }
    try await linkAndUnlink(user, on: peer)
    try await keepSecrets(of: user, on: peer)
    try await ask(on: peer)
    _ = try await made(
      peer.call(
        "user.update",
        #"{"id":"\#(user)","profile":{"name":{"full":"\#(say("last"))"},"nickname":"\#(say("lastnick"))"},\#(key())}"#))
    return user
  }

  // MARK: Accounts

  private mutating func beApple(on peer: TestPeer) async throws -> String {
    let subject = say("ap")
    let first = try await made(
      peer.signIn(
        "apple", subject, say("1", mail: true), verified: true,
        #""name":{"given":"\#(say("given"))","family":"\#(say("family"))"}"#, #""nickname":"\#(say("nick"))""#,
        #""locale":"ko""#, #""picture":"https://example.org/\#(say("picture"))""#,
        #""details":{"hobby":"\#(say("hobby"))","n":null}"#, all, key()))
    let user = try #require(first.userID, "\(first.text)")
    // One whose word is enough, one whose word is not, and one who is refused.
    let linked = try await made(peer.signIn("linkedin", say("li"), "\(mark)-1@example.org", verified: true, all, key()))
    #expect(linked.outcome == "linked", "\(linked.text)")
    let asked = try await made(
      peer.signIn(
        "naver", say("asked"), "\(mark)-1@example.org", #""nickname":"\#(say("askednick", isClear: false))""#, key()))
    _ = try await made(peer.confirm(asked.challengeID, Proof.claims("apple", "nobody")), isRefused: true)
    let confirmed = try await made(
      peer.confirm(asked.challengeID, Proof.claims("apple", subject), ",\(all),\(key())"))
    #expect(confirmed.outcome == "linked", "\(confirmed.text)")
    // Another address at the provider.
    _ = try await made(peer.signIn("apple", subject, say("2", mail: true), verified: true, all, key()))
    try await changeAddresses(of: user, 3, on: peer)
    return user
  }

  private mutating func beHeld(on peer: TestPeer) async throws -> String {
    let subject = say("held")
    let held = try await made(
      peer.signIn(
        "naver", subject, say("10", mail: true), #""register":"hold""#,
        #""nickname":"\#(say("heldnick"))""#, #""name":{"full":"\#(say("heldname"))"}"#, key()))
    let id = held.result?["registration"]?["id"]?.string ?? ""
    _ = try await made(
      peer.call("registration.fail", #"{"registration_id":"\#(id)","reason":"no shoe size of \#(say("shoe"))"}"#))
    let again = try await made(peer.signIn("naver", subject, nil, #""register":"hold""#, key()))
    #expect(again.result?["resumed"]?.bool == true, "\(again.text)")
    let completed = try await made(
      peer.call("registration.complete", #"{"registration_id":"\#(id)",\#(all),\#(key())}"#))
    let user = try #require(completed.userID, "\(completed.text)")
    try await changeAddresses(of: user, 11, on: peer)
    return user
  }

  private mutating func beLinkedIn(on peer: TestPeer) async throws -> String {
    let signedIn = try await made(
      peer.signIn(
        "linkedin", say("other"), say("20", mail: true), verified: true,
        #""name":{"full":"\#(say("othername"))"}"#, #""nickname":"\#(say("othernick"))""#,
        #""picture":"https://example.org/\#(say("otherpicture"))""#, #""details":{"a":["\#(say("otherdetail"))"]}"#,
        key()))
    let user = try #require(signedIn.userID, "\(signedIn.text)")
    _ = try await made(peer.signIn("linkedin", "\(mark)-other", say("21", mail: true), verified: true, key()))
    try await changeAddresses(of: user, 22, on: peer)
    // A reason stays in the audit for ever, so nobody is named in one.
    for verb in ["disable", "enable", "disable"] {
      _ = try await made(peer.call("user.\(verb)", #"{"id":"\#(user)","reason":"\#(verb)d",\#(key())}"#))
    }
    _ = try await made(peer.call("user.enable", #"{"id":"\#(user)","reason":"again"}"#))
    return user
  }

  // MARK: What somebody has

  private mutating func changeAddresses(of user: String, _ first: Int, on peer: TestPeer) async throws {
    let proved = say("\(first)", mail: true)
    let added = try await made(peer.email("add", proved, of: user, ",\(key())"))
    let token = added.result?["token"]?.string ?? ""
    _ = try await made(peer.email("verify", proved, of: user, #","token":"\#(token)",\#(key())"#))
    _ = try await made(peer.email("add", say("\(first + 1)", mail: true), of: user))
    let removed = say("\(first + 2)", mail: true)
    _ = try await made(peer.email("add", removed, of: user))
    _ = try await made(peer.email("remove", removed, of: user, ",\(key())"))
  }

  private mutating func linkAndUnlink(_ user: String, on peer: TestPeer) async throws {
    let name = "by-hand-\(user.suffix(12))"
    let call = SignInCall("naver", say(name), say("\(name)-mail", mail: true), #""nickname":"n""#)
    let linked = try await made(peer.link(call, to: user, ",\(key())"))
    _ = try await made(peer.unlink(linked.identityID, from: user, ",\(key())"))
  }

  private mutating func keepSecrets(of user: String, on peer: TestPeer) async throws {
    let tail = user.suffix(12)
    for (number, verb) in [(1, "add"), (2, "add"), (1, "put"), (3, "put")] {
      let account = say("account\(number)-\(tail)")
      _ = try await made(
        peer.call(
          "credential.\(verb)",
          #"{"access_group":"web","account":"\#(account)","service":"\#(say("service-\(tail)"))","secret":"AA==","#
            + #""user_id":"\#(user)","label":"\#(say("label-\(tail)"))","#
            + #""attributes":{"x":"\#(say("attribute-\(tail)"))","y":null},\#(key())}"#))
    }
    let place = #""access_group":"web","account":"\#(mark)-account2-\#(tail)","service":"\#(mark)-service-\#(tail)""#
    _ = try await made(peer.call("credential.delete", "{\(place),\(key())}"))
  }

  /// A challenge that nobody answers, of a stranger who claims an address of theirs.
  private mutating func ask(on peer: TestPeer) async throws {
    let asked = try await made(peer.signIn("naver", "stranger-of-\(number)", "\(mark)-3@example.org"))
    #expect(asked.outcome == "link_required", "\(asked.text)")
    // What is held of a stranger is sealed, and dropped here, so that nothing of theirs is mistaken for the person's.
    let list = try await peer.call("registration.list", #"{"email":"\#(mark)-3@example.org"}"#)
    for item in list.result?["items"]?.elements ?? [] {
      _ = try await made(
        peer.call("registration.discard", #"{"registration_id":"\#(item["id"]?.string ?? "")"}"#))
    }
  }

  // MARK: Calls

  private func merge(_ survivor: String, _ absorbed: String, on peer: TestPeer) async throws -> String {
    let plan = try await made(
      peer.call("merge.plan", #"{"users":["\#(survivor)","\#(absorbed)"],"survivor":"\#(survivor)"}"#))
    let token = plan.result?["plan_token"]?.string ?? ""
    let merged = try await made(peer.call("merge.run", #"{"plan_token":"\#(token)","reason":"one person"}"#))
    return merged.result?["merge_id"]?.string ?? ""
  }

  private mutating func say(_ name: String, mail: Bool = false, isClear: Bool = true) -> String {
    let text = "\(mark)-\(name)\(mail ? "@example.org" : "")"
    if isClear { said.insert(text) }
    return text
  }

  private mutating func key() -> String {
    keyCount += 1
    return #""request_key":"key-\#(mark.utf8.reduce(0) { $0 &* 31 &+ Int($1) })-\#(keyCount)""#
  }

  private func made(_ answer: WireAnswer, isRefused: Bool = false) -> WireAnswer {
    #expect((answer.error != nil) == isRefused, "\(answer.text)")
    return answer
  }
}
