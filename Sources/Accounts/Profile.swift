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

  /// What a search for the person by name looks at, folded as ``SearchText`` folds what is looked for: on the first line the
  /// name's own words, on a second one what else they are called.
  public var searchName: ExactText? {
    guard let own = name.compared.flatMap({ SearchText($0.string) })?.folded else { return nil }
    var words = Set(Self.words(of: own))
    var text = own.string
    let also = name.alsoCalled.compactMap { SearchText($0)?.folded }.flatMap(Self.words)
    for word in also where words.insert(word).inserted {
      let longer = "\(text)\(text.utf8.count == own.byteCount ? "\n" : " ")\(word)"
      guard longer.utf8.count <= Self.searchNameBytesMax else { break }
      text = longer
    }
    return ExactText(text)
  }

  /// What the database takes; a name of 255 characters and both parts beside it can fold to more.
  static let searchNameBytesMax = 4096

  private static func words(of text: ExactText) -> [ExactText] {
    text.string.split(whereSeparator: \.isWhitespace).map { ExactText(String($0)) }
  }
}
