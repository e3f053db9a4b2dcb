extension Profile {
  /// This profile with the parts that another one has taken from there, and some removed; the others stay.
  ///
  /// The name is one unit: a new one replaces the whole of it.
  public func replacing(with other: Profile, clearing: Set<ProfilePart> = []) -> Profile {
    var cleared = self
    for part in clearing { cleared.clear(part) }
    return other.filled(from: cleared)
  }

  /// The parts in which two profiles differ, in the order of the wire.
  public func differences(from other: Profile) -> [ProfilePart] {
    ProfilePart.allCases.filter { part in
      switch part {
      case .name: name != other.name
      case .nickname: nickname != other.nickname
      case .picture: picture != other.picture
      case .locale: locale != other.locale
      case .details: details != other.details
      }
    }
  }

  private mutating func clear(_ part: ProfilePart) {
    switch part {
    case .name: name = PersonName()
    case .nickname: nickname = nil
    case .picture: picture = nil
    case .locale: locale = nil
    case .details: details = nil
    }
  }
}
