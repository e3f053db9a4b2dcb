import API
import Accounts
import Operations
import Store

extension UserShape {
  /// A user as told, with the parts that were asked for. When they were made is in the id.
  init(_ user: UserID, status: UserStatus, _ details: UserDetails?) {
    self.init(
      id: user, status: status, createdAt: user.createdAt, profile: details?.profile.map { ProfileShape($0) },
      emails: details?.emails?.map { EmailShape($0) }, identities: details?.identities?.map { IdentityShape($0) })
  }
}

extension IdentityShape {
  init(_ record: IdentityRecord) {
    self.init(
      id: record.identity, provider: record.provider, tenant: record.tenant, subject: record.subject,
      userID: record.user, email: record.email, emailVerified: record.emailVerified, linkedAt: record.linkedAt,
      linkedBy: record.linkedBy.word, lastSignInAt: record.lastSignInAt)
  }
}

extension LinkedBy {
  fileprivate var word: LinkedByWord {
    switch self {
    case .registration: .register
    case .verifiedEmail: .email
    case .confirmation: .confirm
    case .link: .link
    case .merge: .merge
    case .dataImport: .import
    }
  }
}

extension EmailShape {
  /// What a token that came back is called among the sources of an address.
  private static let token: ExactText = "email_token"

  init(_ record: EmailRecord) {
    self.init(
      email: record.email, canonical: record.canonical, verified: record.verified,
      sources: record.vouchers.map { ExactText($0.description) } + (record.isProvedByToken ? [Self.token] : []),
      addedAt: record.addedAt)
  }
}

extension Include {
  var part: UserPart {
    switch self {
    case .profile: .profile
    case .emails: .emails
    case .identities: .identities
    }
  }
}
