import Accounts

/// What is known of a person beyond who they are.
public struct ProfileShape: Shape, Equatable {
  public static let title = "Profile"

  public var name: NameShape?
  public var nickname: ExactText?
  public var picture: ExactText?
  public var locale: ExactText?
  public var details: RawJSON?

  public init() {}

  public init(
    name: NameShape? = nil, nickname: ExactText? = nil, picture: ExactText? = nil, locale: ExactText? = nil,
    details: RawJSON? = nil
  ) {
    self.name = name
    self.nickname = nickname
    self.picture = picture
    self.locale = locale
    self.details = details
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("name", &name, "The person's name.")
    try visitor.member(
      "nickname", &nickname, .line(characters: 1...Profile.nameCharactersMax), "What the person likes to be called.")
    try visitor.member("picture", &picture, .text(bytes: 1...Profile.pictureBytesMax), "The address of a picture.")
    try visitor.member(
      "locale", &locale, .text(bytes: 1...Profile.localeBytesMax), "The language, as the provider writes it.")
    try visitor.member(
      "details", &details, .object(bytesMax: Profile.detailsBytesMax), "Whatever else the provider said.")
  }
}
