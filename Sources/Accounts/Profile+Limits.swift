extension Profile {
  /// Longest name or nickname, in characters (Unicode scalar values).
  public static let nameCharactersMax = 255
  /// Longest address of a picture: what browsers and proxies pass on without doubt.
  public static let pictureBytesMax = 2048
  /// Longest language tag that RFC 5646 says to provide for.
  public static let localeBytesMax = 35
  /// Longest JSON object of whatever else a provider says.
  public static let detailsBytesMax = 16 * 1024

  /// Why a profile from outside cannot be taken.
  public struct Invalid: Error, Hashable, Sendable {
    /// Where in the profile, as on the wire: `name.given`, `picture`…
    public let path: String
    /// What holds for that place, as the end of a sentence that begins with it.
    public let rule: String
  }

  /// - Throws: the first part that breaks a limit.
  public func checkLimits() throws(Invalid) {
    try Self.checkName(name.given, at: "name.given")
    try Self.checkName(name.family, at: "name.family")
    try Self.checkName(name.full, at: "name.full")
    try Self.checkName(nickname, at: "nickname")
    try Self.checkBytes(picture, max: Self.pictureBytesMax, at: "picture")
    try Self.checkBytes(locale, max: Self.localeBytesMax, at: "locale")
    try Self.checkBytes(details, max: Self.detailsBytesMax, at: "details")
  }

  private static func checkName(_ text: ExactText?, at path: String) throws(Invalid) {
    guard let scalars = text?.string.unicodeScalars else { return }
    let isFit =
      (1...nameCharactersMax).contains(scalars.count)
      && scalars.allSatisfy { $0.properties.generalCategory != .control }
    guard isFit else {
      throw Invalid(path: path, rule: "has 1 to \(nameCharactersMax) characters and no control characters")
    }
  }

  private static func checkBytes(_ text: ExactText?, max: Int, at path: String) throws(Invalid) {
    guard let text, !(1...max).contains(text.byteCount) else { return }
    throw Invalid(path: path, rule: "has 1 to \(max) bytes")
  }
}
