import API
import Accounts

extension ProfileShape {
  init(_ profile: Profile) {
    self.init(
      name: profile.name.isEmpty
        ? nil : NameShape(given: profile.name.given, family: profile.name.family, full: profile.name.full),
      nickname: profile.nickname, picture: profile.picture, locale: profile.locale,
      details: profile.details.map { RawJSON($0) })
  }
}

extension Profile {
  init(_ shape: ProfileShape) {
    self.init(
      name: PersonName(given: shape.name?.given, family: shape.name?.family, full: shape.name?.full),
      nickname: shape.nickname, picture: shape.picture, locale: shape.locale, details: shape.details?.text)
  }
}
