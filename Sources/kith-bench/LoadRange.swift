/// The keys of one measurement, which no other uses, so that every call does real work.
///
/// A key is a number of ten digits: `10⁹ + u` for the loaded user `u`, and from `base` on for what this measurement makes.
/// Ten decimal digits are also valid in the time of a version 7 UUID, so ids made from keys ascend as real ones do.
struct LoadRange {
  static let firstKey = 1_000_000_000
  /// More than one measurement can use, and than users can be loaded.
  static let keysEach = 100_000_000
  /// What ten digits hold.
  static let numberMax = 88
  /// From here on they are for linking.
  static let linkNumberMin = numberMax - linkTenants
  /// One for each measurement of linking: so the same user can be linked in each.
  static let linkTenants = 24

  /// Spreads consecutive numbers over the users: a prime greater than any number of users, hence without repetition.
  static let spread = 2_147_483_647

  static let accessGroup = "bench"

  /// How many there are to draw from: users, or the secrets or couples of this range.
  var users: Int
  let number: Int
  /// The first user to link, before spreading.
  let start: Int
  let linkTenant: Int
  /// How many identities and addresses come with a merge of this range.
  var identitiesMoved = 2

  var base: Int { Self.firstKey + Self.keysEach * (number + 1) }
  var tenant: String { Self.tenantName(linkTenant) }
  var domain: String { "m\(10 + number).example.net" }

  static func tenantName(_ number: Int) -> String { "linkedin-\(10 + number)" }
}
