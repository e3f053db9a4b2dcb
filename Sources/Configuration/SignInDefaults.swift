/// What holds for a sign-in unless its call says otherwise.
public struct SignInDefaults: Hashable, Sendable {
  public let register: RegisterDefault
  public let link: LinkDefault
  /// How long a held registration is kept.
  public let holdDays: Double
  /// How long a challenge can be answered.
  public let challengeMinutes: Double

  /// Of both: so that whatever is held or asked is there for as long as its caller needs to come back.
  public static let secondsMin = 1.0
  /// Sealed details of people who are not users are not kept for longer than a year.
  public static let holdDaysMax = 365.0
  /// A proof that this caller may go on with this identity is no standing permission.
  public static let challengeMinutesMax = 1440.0

  public init(
    register: RegisterDefault = .auto, link: LinkDefault = .verifiedEmail, holdDays: Double = 30,
    challengeMinutes: Double = 15
  ) {
    self.register = register
    self.link = link
    self.holdDays = holdDays
    self.challengeMinutes = challengeMinutes
  }
}

extension SignInDefaults {
  init?(reading reader: ValueReader) {
    guard let members = reader.members(["register", "link", "hold_days", "challenge_minutes"]) else { return nil }
    let byDefault = SignInDefaults()
    self.init(
      register: members["register"]?.choice(RegisterDefault.self) ?? byDefault.register,
      link: members["link"]?.choice(LinkDefault.self) ?? byDefault.link,
      holdDays: members["hold_days"]?.duration(unitSeconds: 86_400, through: Self.holdDaysMax) ?? byDefault.holdDays,
      challengeMinutes: members["challenge_minutes"]?.duration(unitSeconds: 60, through: Self.challengeMinutesMax)
        ?? byDefault.challengeMinutes)
  }
}

extension ValueReader {
  /// A number of units that are a second at least.
  fileprivate func duration(unitSeconds: Double, through maximum: Double) -> Double? {
    guard let number = number(above: 0, through: maximum) else { return nil }
    guard number * unitSeconds >= SignInDefaults.secondsMin else {
      report("must be a second at least")
      return nil
    }
    return number
  }
}
