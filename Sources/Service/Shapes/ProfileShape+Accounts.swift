import API
import Accounts

extension ProfileShape {
  init(_ profile: Profile) {
    self.init(
      name: NameShape(profile.name), nickname: profile.nickname, picture: profile.picture, locale: profile.locale,
      details: profile.details.map { RawJSON($0) })
  }
}

extension Profile {
  init(_ shape: ProfileShape) {
    self.init(
      name: shape.name?.name ?? PersonName(), nickname: shape.nickname, picture: shape.picture, locale: shape.locale,
      details: shape.details?.text)
  }
}
