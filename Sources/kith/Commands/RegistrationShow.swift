import API
import Accounts
import Terminal

extension RegistrationShape {
  /// Why somebody is no user yet of whom no failure was told.
  static let waitsFor = "the app, or a proof of who they are"
}

extension Command where Context == CommandContext {
  static let registrationShow: Command = Command(
    "show", "Show a held registration with everything that is held",
    positionals: [.registration]
  ) { context throws(CommandFailure) in
    let parameters = RegistrationParameters(registrationID: try context.registration())
    try await context.showRegistration(RegistrationGet.self, parameters) { found in
      context.lines(of: sheet(of: found.registration))
    }
  }

  private static func sheet(of registration: RegistrationShape) -> Sheet {
    var sheet = Sheet()
    sheet.add("registration", registration.id.description)
    sheet.add("provider", "\(registration.provider):\(registration.tenant)")
    sheet.add("subject", registration.subject.string)
    if let details = registration.details {
      sheet.add("e-mail", details.email?.string)
      sheet.add("", details.email.map { _ in standing(of: details) })
      sheet.add("name", details.profile.displayedName)
      sheet.add("nickname", details.profile.nickname?.string)
      sheet.add("locale", details.profile.locale?.string)
      sheet.add("picture", details.profile.picture?.string)
      sheet.add("details", details.profile.details?.text.string)
    }
    sheet.add("held since", registration.heldAt.description)
    sheet.add("expires", registration.expiresAt.description)
    sheet.add("failed", registration.attempts.counted("time", "times"))
    sheet.add("last reason", registration.lastReason?.string)
    if registration.lastReason == nil { sheet.add("waits for", RegistrationShape.waitsFor) }
    return sheet
  }

  private static func standing(of details: ClaimsShape) -> String {
    let word = details.emailVerified == true ? "verified, says the provider" : "not verified"
    return details.isPrivateEmail == true ? "\(word); a relay of the provider" : word
  }
}
