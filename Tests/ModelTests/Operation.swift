/// What a client is to do, in terms that hold before anything was answered: whom it concerns is told by who signs in.
struct Operation: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case resolve, complete, discard, fail, confirmByClaims, confirmByWord, link, unlink, addEmail, verifyEmail
    case removeEmail, disable, enable, erase, plan, run, undo, findUser, findHolder, findIdentity, findRegistration

    /// How often it is done, against the others.
    var weight: Int {
      switch self {
      case .resolve: 30
      case .confirmByClaims, .confirmByWord, .unlink, .verifyEmail, .plan, .run, .undo: 8
      case .link: 6
      case .complete, .addEmail, .enable: 5
      case .removeEmail, .findUser: 4
      case .disable: 3
      case .findHolder, .findIdentity: 2
      case .discard, .fail, .erase, .findRegistration: 1
      }
    }

    /// The method that it calls.
    var method: String {
      switch self {
      case .resolve: "signin.resolve"
      case .complete: "registration.complete"
      case .discard: "registration.discard"
      case .fail: "registration.fail"
      case .confirmByClaims, .confirmByWord: "link.confirm"
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

  let kind: Kind
  let subject: Subject
  let other: Subject
  let address: Address
  let report: Report?
  let register: Call.RegisterChoice
  let link: Call.LinkChoice
  /// Whether the user is meant whom the subject was first, who may be merged or erased by now, and not the last.
  let isFormer: Bool

  var description: String {
    let told = report.map { "\($0)" } ?? "-"
    let former = isFormer ? " at first" : ""
    return switch kind {
    case .resolve: "\(kind) \(subject) \(told) \(register) \(link)"
    case .complete, .discard, .fail, .findIdentity, .findRegistration: "\(kind) \(subject)"
    case .confirmByClaims, .confirmByWord: "\(kind) \(subject) \(other)"
    case .link: "\(kind) \(subject)\(former) \(other) \(told)"
    case .unlink: "\(kind) \(isFormer ? "\(subject) at first, " : "")\(other)"
    case .addEmail, .verifyEmail, .removeEmail: "\(kind) \(subject)\(former) \(address)"
    case .disable, .enable, .erase, .findUser: "\(kind) \(subject)\(former)"
    case .plan: "\(kind) \(subject)\(former) \(other)\(register == .auto ? "" : " into the second")"
    case .run, .undo: "\(kind)\(isFormer ? " the first" : "")"
    case .findHolder: "\(kind) \(address)"
    }
  }
}

/// What the clients of a world do: each its operations one after the other, all at once.
struct Script: Hashable, Sendable, CustomStringConvertible {
  struct Step: Hashable, Sendable {
    var client: Int
    let operation: Operation
  }

  var steps: [Step]

  var description: String { steps.map { "\($0.client): \($0.operation)" }.joined(separator: "\n") }

  /// The operations of each client who has any.
  var clients: [[Operation]] {
    Set(steps.map(\.client)).sorted().map { client in steps.filter { $0.client == client }.map(\.operation) }
  }
}

/// Makes scripts by chance, the same ones for the same seed.
struct ScriptMaker: Sendable {
  static let clients = 4
  static let operations = 96

  /// The kinds of operations, each as often as it is to be done.
  private let kinds: [Operation.Kind]
  private let links: [Call.LinkChoice]

  /// - Parameter methods: those that the daemon serves.
  init(methods: Set<String>) {
    kinds = Operation.Kind.allCases.filter { methods.contains($0.method) }
      .flatMap { kind in Array(repeating: kind, count: kind.weight) }
    links = Call.LinkChoice.allCases.filter { $0 != .confirm || methods.contains("link.confirm") }
  }

  func script(_ random: inout some RandomNumberGenerator) -> Script {
    Script(
      steps: (0..<Self.operations).map { _ in
        Script.Step(client: Int.random(in: 0..<Self.clients, using: &random), operation: operation(&random))
      })
  }

  private func operation(_ random: inout some RandomNumberGenerator) -> Operation {
    func one<T>(of all: [T], _ random: inout some RandomNumberGenerator) -> T {
      all[Int.random(in: all.indices, using: &random)]
    }
    let address = one(of: Address.allCases + [.first], &random)
    let isTold = Int.random(in: 0..<5, using: &random) > 0
    let isVerified = Int.random(in: 0..<4, using: &random) > 0
    return Operation(
      kind: one(of: kinds, &random), subject: one(of: Subject.allCases, &random),
      other: one(of: Subject.allCases, &random), address: address,
      report: isTold ? Report(address, verified: isVerified) : nil,
      register: one(of: [.auto, .auto, .hold, .never], &random),
      link: one(of: links + [.verifiedEmail], &random), isFormer: Int.random(in: 0..<4, using: &random) == 0)
  }
}
