/// A call as it was made, with ids by their names.
enum Call: Hashable, Sendable {
  case resolve(Subject, Report?, RegisterChoice, LinkChoice)
  case complete(Name)
  case discard(Name)
  case fail(Name)
  case confirm(Name, Proof)
  case link(to: Name, Subject, Report?)
  case unlink(from: Name, identity: Name)
  case addEmail(Name, Address)
  case verifyEmail(Name, Address, token: Name)
  case removeEmail(Name, Address)
  case disable(Name)
  case enable(Name)
  case erase(Name)
  case plan(Name, Name, survivor: Name?)
  case run(plan: Name)
  case undo(merge: Name)
  case findUser(Name)
  case findHolder(Address)
  case findIdentity(Subject)
  case findRegistration(Name)

  enum RegisterChoice: String, CaseIterable, Sendable {
    case auto, hold, never
  }

  enum LinkChoice: String, CaseIterable, Sendable {
    case verifiedEmail = "verified_email"
    case confirm
    case never
  }

  /// Who somebody who was challenged is.
  enum Proof: Hashable, Sendable, CustomStringConvertible {
    case claims(Subject)
    case word(Name)

    var description: String {
      switch self {
      case .claims(let subject): "by \(subject)"
      case .word(let user): "on the word that it is \(user)"
      }
    }
  }

  var method: String {
    switch self {
    case .resolve: "signin.resolve"
    case .complete: "registration.complete"
    case .discard: "registration.discard"
    case .fail: "registration.fail"
    case .confirm: "link.confirm"
    case .link: "identity.link"
    case .unlink: "identity.unlink"
    case .addEmail: "email.add"
    case .verifyEmail: "email.verify"
    case .removeEmail: "email.remove"
    case .disable: "user.disable"
    case .enable: "user.enable"
    case .erase: "user.erase"
    case .plan: "merge.plan"
    case .run: "merge.run"
    case .undo: "merge.undo"
    case .findUser, .findHolder: "user.get"
    case .findIdentity: "identity.get"
    case .findRegistration: "registration.get"
    }
  }
}

extension Call: CustomStringConvertible {
  var description: String {
    switch self {
    case .resolve(let subject, let report, let register, let link):
      "\(method) \(subject) \(report.map { "\($0)" } ?? "-") \(register) \(link)"
    case .complete(let name), .discard(let name), .fail(let name), .disable(let name), .enable(let name),
      .erase(let name), .run(let name), .undo(let name), .findUser(let name), .findRegistration(let name):
      "\(method) \(name)"
    case .confirm(let challenge, let proof): "\(method) \(challenge) \(proof)"
    case .link(let user, let subject, let report): "\(method) \(user) \(subject) \(report.map { "\($0)" } ?? "-")"
    case .unlink(let user, let identity): "\(method) \(user) \(identity)"
    case .addEmail(let user, let address), .removeEmail(let user, let address): "\(method) \(user) \(address)"
    case .verifyEmail(let user, let address, let token): "\(method) \(user) \(address) \(token)"
    case .plan(let one, let other, let survivor): "\(method) \(one) \(other)\(survivor.map { " into \($0)" } ?? "")"
    case .findHolder(let address): "\(method) \(address)"
    case .findIdentity(let subject): "\(method) \(subject)"
    }
  }
}
