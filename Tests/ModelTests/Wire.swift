import TestSupport

/// Writes the calls of one world as they go over the wire, and reads the answers.
struct Wire: Sendable {
  private let world: Int

  /// - Parameter world: part of every subject and address, so that worlds do not meet.
  init(world: Int) { self.world = world }

  private func text(_ subject: Subject) -> String { "w\(world)-\(subject)" }
  private func text(_ address: Address) -> String { "\(address)@w\(world).example.org" }

  private func subject(_ text: String?) -> Subject? { Subject.allCases.first { self.text($0) == text } }
  private func address(_ text: String?) -> Address? { Address.allCases.first { self.text($0) == text } }

  // MARK: Calls

  func params(of call: Call, _ names: Names) -> String {
    func id(_ member: String, _ name: Name) -> String { #""\#(member)":"\#(names.text(name))""# }
    let reason = #""reason":"Of the model's.""#
    let members: [String] =
      switch call {
      case .resolve(let subject, let report, let register, let link):
        claims(of: subject, report) + [#""register":"\#(register.rawValue)""#, #""link":"\#(link.rawValue)""#]
      case .complete(let name), .discard(let name), .findRegistration(let name): [id("registration_id", name)]
      case .fail(let name): [id("registration_id", name), reason]
      case .confirm(let challenge, let proof): [id("challenge_id", challenge), #""proof":\#(json(proof, names))"#]
      case .link(let user, let subject, let report):
        [id("user_id", user), #""claims":\#(object(claims(of: subject, report)))"#]
      case .unlink(let user, let identity): [id("user_id", user), id("identity_id", identity)]
      case .addEmail(let user, let address), .removeEmail(let user, let address):
        [id("user_id", user), #""email":"\#(text(address))""#]
      case .verifyEmail(let user, let address, let token):
        [id("user_id", user), #""email":"\#(text(address))""#, id("token", token)]
      case .disable(let user), .enable(let user), .erase(let user): [id("id", user), reason]
      case .plan(let one, let other, let survivor):
        [#""users":["\#(names.text(one))","\#(names.text(other))"]"#] + (survivor.map { [id("survivor", $0)] } ?? [])
      case .run(let plan): [id("plan_token", plan), reason]
      case .undo(let merge): [id("merge_id", merge), reason]
      case .findUser(let user): [id("id", user), #""include":["emails","identities"]"#]
      case .findHolder(let address): [#""email":"\#(text(address))""#, #""include":["emails","identities"]"#]
      case .findIdentity(let subject): claims(of: subject, nil)
      }
    return object(members)
  }

  private func object(_ members: [String]) -> String { "{\(members.joined(separator: ","))}" }

  private func claims(of subject: Subject, _ report: Report?) -> [String] {
    [#""provider":"\#(subject.provider)""#, #""subject":"\#(text(subject))""#]
      + (report.map { [#""email":"\#(text($0.address))""#, #""email_verified":\#($0.isVerified)"#] } ?? [])
  }

  private func json(_ proof: Call.Proof, _ names: Names) -> String {
    switch proof {
    case .claims(let subject): #"{"claims":\#(object(claims(of: subject, nil)))}"#
    case .word(let user): #"{"user_id":"\#(names.text(user))","authenticated":true}"#
    }
  }

  // MARK: Answers

  func answer(_ wire: WireAnswer, to call: Call, _ names: inout Names) -> Answer {
    guard let result = wire.result else { return refusal(wire, &names) }
    var answer = Answer(result["outcome"]?.string ?? "ok")
    answer.matchedBy = result["matched_by"]?.string
    answer.requested = name(.user, result["requested_id"], &names)
    answer.isResumed = result["resumed"]?.bool ?? false
    answer.attempts = result["attempts"]?.integer
    answer.challenge = name(.challenge, result["challenge"]?["id"], &names)
    answer.candidates = (result["challenge"]?["candidates"]?.elements ?? []).compactMap { candidate in
      name(.user, candidate["user_id"], &names).map {
        Answer.Candidate(user: $0, providers: (candidate["providers"]?.elements ?? []).compactMap(\.string))
      }
    }
    answer.identity = identity(result["identity"], &names)
    read(user: result["user"], into: &answer, &names)
    if let registration = result["registration"] {
      answer.registration = name(.registration, registration["id"], &names)
      answer.attempts = registration["attempts"]?.integer
      answer.held = report(registration["details"])
    }
    answer.email = result["email"].flatMap { email($0, &names)?.1 }
    answer.token = name(.token, result["token"], &names)
    readMerging(result, of: call, into: &answer, &names)
    // That a link is whose it is now is told by the identity as well.
    if case .link = call { answer.user = answer.identity?.user }
    if case .link = call { answer.status = nil }
    return answer
  }

  private func refusal(_ wire: WireAnswer, _ names: inout Names) -> Answer {
    var answer = Answer(wire.reason ?? "?")
    answer.owner = name(.user, wire.error?["data"]?["user_id"], &names)
    answer.later = name(.merge, wire.error?["data"]?["later_merge_id"], &names)
    return answer
  }

  private func read(user: WireJSON?, into answer: inout Answer, _ names: inout Names) {
    answer.user = name(.user, user?["id"], &names)
    answer.status = user?["status"]?.string
    answer.emails = user?["emails"]?.elements.reduce(into: [:]) { emails, item in
      if let (address, email) = email(item, &names) { emails[address] = email }
    }
    answer.identities = user?["identities"]?.elements.reduce(into: [:]) { identities, item in
      if let identity = identity(item, &names) { identities[identity.subject] = identity }
    }
  }

  private func readMerging(_ result: WireJSON, of call: Call, into answer: inout Answer, _ names: inout Names) {
    switch call {
    case .plan:
      answer.plan = name(.plan, result["plan_token"], &names)
      answer.survivor = name(.user, result["survivor"], &names)
      answer.absorbed = name(.user, result["absorbed"], &names)
    case .run, .undo:
      let merge = result["merge"] ?? result
      guard let id = name(.merge, merge["merge_id"], &names), let survivor = name(.user, merge["survivor"], &names),
        let absorbed = name(.user, merge["absorbed"], &names)
      else { return }
      answer.merge = Answer.Merge(
        id: id, survivor: survivor, absorbed: absorbed, isUndone: merge["state"]?.string == "undone",
        identities: merge["moved"]?["identities"]?.integer ?? -1, emails: merge["moved"]?["emails"]?.integer ?? -1)
    default: break
    }
  }

  private func name(_ kind: Name.Kind, _ json: WireJSON?, _ names: inout Names) -> Name? {
    (json?.string ?? json?["id"]?.string).map { names.name(kind, $0) }
  }

  private func report(_ json: WireJSON?) -> Report? {
    address(json?["email"]?.string).map { Report($0, verified: json?["email_verified"]?.bool ?? false) }
  }

  private func identity(_ json: WireJSON?, _ names: inout Names) -> Answer.Identity? {
    guard let id = name(.identity, json?["id"], &names), let user = name(.user, json?["user_id"], &names),
      let subject = subject(json?["subject"]?.string), json?["provider"]?.string == subject.provider
    else { return nil }
    return Answer.Identity(
      id: id, subject: subject, user: user, linkedBy: json?["linked_by"]?.string ?? "?", report: report(json))
  }

  private func email(_ json: WireJSON, _ names: inout Names) -> (Address, Answer.Email)? {
    guard let address = address(json["canonical"]?.string) else { return nil }
    let sources = (json["sources"]?.elements ?? []).compactMap(\.string)
    let vouchers = sources.filter { $0 != "email_token" }.map { names.name(.identity, $0) }
    return (
      address,
      Answer.Email(
        isVerified: json["verified"]?.bool ?? false, vouchers: Set(vouchers),
        isProvedByToken: sources.contains("email_token"))
    )
  }
}
