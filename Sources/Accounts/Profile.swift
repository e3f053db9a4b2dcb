/// What is known of a person beyond who they are; every part may be unknown.
///
/// Parts are compared as bytes, so that a changed spelling is a change.
public struct Profile: Hashable, Sendable {
  public var name: PersonName
  public var nickname: ExactText?
  /// The address of a picture.
  public var picture: ExactText?
  /// A language tag as the provider gave it, like `ko_KR`.
  public var locale: ExactText?
  /// Whatever else the provider said: one JSON object as text, opaque here.
  public var details: ExactText?

  public init(
    name: PersonName = PersonName(), nickname: ExactText? = nil, picture: ExactText? = nil, locale: ExactText? = nil,
    details: ExactText? = nil
  ) {
    self.name = name
    self.nickname = nickname
    self.picture = picture
    self.locale = locale
    self.details = details
  }

  public var isEmpty: Bool { self == Profile() }

  /// This profile with its gaps filled from another; what is there stays.
  ///
  /// The name is one unit: any known part of it keeps the whole, so that no person gets a name put together of two.
  public func filled(from other: Profile) -> Profile {
    Profile(
      name: name.isEmpty ? other.name : name,
      nickname: nickname ?? other.nickname,
      picture: picture ?? other.picture,
      locale: locale ?? other.locale,
      details: details ?? other.details)
  }

  /// What a search for the person by name looks at: the name to show, folded as ``SearchText`` folds what is looked for.
  public var searchName: SearchText? { name.displayed.flatMap { SearchText($0.string) } }
}
