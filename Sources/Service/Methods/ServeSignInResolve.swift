import API
import Accounts
import Configuration
import JSONRPC
import Operations
import Store

extension MethodTable {
  mutating func serveSignInResolve() {
    serve(
      SignInResolve.self,
      starting: { call in
        do throws(RPCError) {
          let namespace = try call.context.namespace(
            provider: call.parameters.claims.provider, tenant: call.parameters.claims.tenant)
          let request = try SignInRequest(call, in: namespace)
          let resolveSignIn = call.context.worker.operations.resolveSignIn
          guard let number = namespace.number else {
            return resolveSignIn.keep(request, isReadOnly: call.context.worker.operations.writes.isReadOnly)
          }
          resolveSignIn.resolve(request, namespace: number)
        } catch {
          call.refuse(error)
        }
      })
  }
}

extension SignInRequest {
  fileprivate convenience init(_ call: Invocation<SignInResolve>, in namespace: ServedNamespace) throws(RPCError) {
    let defaults = call.context.worker.settings.defaults
    self.init(
      claims: try Claims(call.parameters.claims, in: namespace.namespace),
      policy: try SignInPolicy(call.parameters, defaults: defaults, namespace),
      challengeSeconds: defaults.challengeMinutes * 60,
      holdSeconds: defaults.holdDays * 86_400, include: call.parameters.include.parts, caller: call.context.caller.name,
      requestKey: call.requestKey, asker: call)
  }
}

extension Invocation: SignInAsker where M.Result == API.SignInResult {
  func encoded(_ result: Operations.SignInResult) -> [UInt8] { encode(API.SignInResult(result)) }

  func signInEnded(_ outcome: Result<Operations.Answer<Operations.SignInResult>, OperationError>) {
    switch outcome {
    case .success(.new(let result)): answer(API.SignInResult(result))
    case .success(.kept(let bytes)): answer(.kept(bytes))
    case .failure(let error): refuse(RPCError(error, for: context))
    }
  }
}

extension Reply {
  /// The reply to an operation's answer.
  init<Outcome>(_ answer: Operations.Answer<Outcome>, _ result: (Outcome) -> M.Result) {
    switch answer {
    case .new(let outcome): self = .result(result(outcome))
    case .kept(let bytes): self = .kept(bytes)
    }
  }
}

extension CallContext {
  func namespace(provider: ExactText, tenant: ExactText?) throws(RPCError) -> ServedNamespace {
    try access.namespaces.find(provider: provider, tenant: tenant)
  }

  /// Why it is not known under which number the database keeps a namespace.
  var databaseIsMissing: RPCError { worker.operations.writes.isReadOnly ? .databaseReadOnly : .databaseAway }
}

extension Claims {
  fileprivate init(_ shape: ClaimsShape, in namespace: Namespace) throws(RPCError) {
    guard let subject = Subject(shape.subject.string) else {
      throw RPCError(.invalidParams, details: [.path("params.subject"), .problem(.length)])
    }
    self.init(
      identity: IdentityKey(namespace, subject), email: try ReportedEmail(shape), profile: Profile(shape.profile))
  }
}

extension ReportedEmail {
  fileprivate init?(_ shape: ClaimsShape) throws(RPCError) {
    guard let email = shape.email else { return nil }
    self.init(
      try EmailAddress(email, path: "params.email"), isVerified: shape.emailVerified ?? false,
      isPrivate: shape.isPrivateEmail)
  }
}

extension EmailAddress {
  /// Reads an address that came as a parameter.
  init(_ text: ExactText, path: String) throws(RPCError) {
    do throws(EmailAddress.Invalid) {
      try self.init(text.string)
    } catch {
      throw RPCError(
        .invalidParams, "\(error)",
        details: [.path(path), .problem(.format)])
    }
  }
}

extension SignInPolicy {
  fileprivate init(
    _ choices: SignInResolve.Parameters, defaults: SignInDefaults, _ namespace: ServedNamespace
  ) throws(RPCError) {
    let register: Register =
      switch choices.register {
      case nil: Register(defaults.register)
      case .auto: .auto
      case .hold: .hold
      case .never: .never
      }
    let link: Link =
      switch choices.link {
      case nil: defaults.link == .verifiedEmail ? .verifiedEmail : .never
      case .verifiedEmail: .verifiedEmail
      case .never: .never
      case .confirm: throw .notServedYet("link", "confirm")
      }
    self.init(register: register, link: link, trustsEmail: namespace.settings.trustsEmail)
  }
}

extension SignInPolicy.Register {
  fileprivate init(_ choice: RegisterDefault) {
    self =
      switch choice {
      case .auto: .auto
      case .hold: .hold
      case .never: .never
      }
  }
}

extension RPCError {
  fileprivate static func notServedYet(_ parameter: String, _ choice: String) -> RPCError {
    RPCError(
      .invalidParams, "This version of Kith does not serve \(parameter): \"\(choice)\".",
      details: [.path("params.\(parameter)"), .problem(.choice)])
  }
}
