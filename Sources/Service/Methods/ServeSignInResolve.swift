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
      policy: SignInPolicy(call.parameters, defaults: defaults, namespace),
      challengeSeconds: defaults.challengeMinutes * 60,
      holdSeconds: defaults.holdDays * 86_400, include: call.parameters.include.parts, caller: call.context.caller.name,
      requestKey: call.requestKey, asker: call)
  }
}

/// A method that comes to what a sign-in comes to.
protocol SignInMethod: Method {
  static func result(of signIn: Operations.SignInResult) -> Result
}

extension SignInMethod where Result == API.SignInResult {
  static func result(of signIn: Operations.SignInResult) -> API.SignInResult { API.SignInResult(signIn) }
}

extension SignInResolve: SignInMethod {}
extension RegistrationComplete: SignInMethod {}
extension LinkConfirm: SignInMethod {}

extension Invocation: SignInAsker where M: SignInMethod {
  func encoded(_ result: Operations.SignInResult) -> [UInt8] { encode(M.result(of: result)) }

  // Whoever tells it knows only the protocol, so without this copy it would be answered by code for any method.
  @_specialize(where M == SignInResolve)
  func signInEnded(_ outcome: Result<Operations.Answer<Operations.SignInResult>, OperationError>) {
    switch outcome {
    case .success(.new(let result)): answer(M.result(of: result))
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
  /// - Parameter path: where the members stand that name it.
  func namespace(
    provider: ExactText, tenant: ExactText?, in path: String = "params"
  ) throws(RPCError) -> ServedNamespace {
    try access.namespaces.find(provider: provider, tenant: tenant, in: path)
  }

  /// Why it is not known under which number the database keeps a namespace.
  var databaseIsMissing: RPCError { worker.operations.writes.isReadOnly ? .databaseReadOnly : .databaseAway }
}

extension Claims {
  /// - Parameter path: where they stand.
  init(_ shape: ClaimsShape, in namespace: Namespace, at path: String = "params") throws(RPCError) {
    guard let subject = Subject(shape.subject.string) else {
      throw RPCError(.invalidParams, details: [.path("\(path).subject"), .problem(.length)])
    }
    self.init(
      identity: IdentityKey(namespace, subject), email: try ReportedEmail(shape, at: path),
      profile: Profile(shape.profile))
  }
}

extension ReportedEmail {
  fileprivate init?(_ shape: ClaimsShape, at path: String) throws(RPCError) {
    guard let email = shape.email else { return nil }
    self.init(
      try EmailAddress(email, path: "\(path).email"), isVerified: shape.emailVerified ?? false,
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
  ) {
    let register: Register =
      switch choices.register {
      case nil: Register(defaults.register)
      case .auto: .auto
      case .hold: .hold
      case .never: .never
      }
    let link: Link =
      switch choices.link {
      case nil: Link(defaults.link)
      case .verifiedEmail: .verifiedEmail
      case .confirm: .confirm
      case .never: .never
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

extension SignInPolicy.Link {
  fileprivate init(_ choice: LinkDefault) {
    self =
      switch choice {
      case .verifiedEmail: .verifiedEmail
      case .confirm: .confirm
      case .never: .never
      }
  }
}
