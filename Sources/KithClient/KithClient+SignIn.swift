import API
import JSONRPC

extension KithClient {
  /// Signs a person in whom nobody may know yet, and makes a user of them only once the app has done its own part.
  ///
  /// What the provider told of somebody new is held until `step` has succeeded. If it throws, its failure is counted, with the
  /// name of the error's type as the reason, and rethrown; the person's next sign-in comes to `step` again, with everything
  /// that was told before. `step` is not called for somebody who is known, or is linked. It may be called again after it
  /// succeeded, when this process ends before the daemon has heard of it.
  ///
  /// - Parameters:
  ///   - link: nil for what the configuration says.
  ///   - include: what of the user to answer with.
  ///   - step: what the app has to do before somebody is its user, with what is held of them.
  /// - Returns: as `signin.resolve`; `registered` for somebody new. The caller must be allowed `registration.complete` and
  ///   `registration.fail`.
  public func signIn(
    _ claims: ClaimsShape, link: LinkChoice? = nil, include: [Include]? = nil,
    registering step: (RegistrationShape) async throws -> Void
  ) async throws -> SignInResult {
    let answer = try await call(
      SignInResolve.self, .init(claims: claims, register: .hold, link: link, include: include))
    guard let held = answer.registration else { return answer }
    do {
      try await step(held)
    } catch {
      // Whoever cannot be told of the failure now finds the registration held all the same.
      _ = try? await call(
        RegistrationFail.self, .init(registrationID: held.id, reason: ExactText("\(type(of: error))")))
      throw error
    }
    return try await call(RegistrationComplete.self, .init(registrationID: held.id, include: include))
  }
}
