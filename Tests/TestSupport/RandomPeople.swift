import Accounts

/// SQL that makes families of users with whatever users can have, by chance, and share; the same for the same seed.
public struct RandomPeople {
  private static let addressesEach = 5

  private var random: SeededRandom
  private var lines: [String] = []

  /// Family f of pairs is users 2f+1 and 2f+2, and so on for more. Their identities are of the namespaces 1 and 2.
  ///
  /// - Parameter makesNamespaces: whether these are not there yet.
  public static func families(_ count: Int, of size: Int, seed: UInt64, makesNamespaces: Bool = true) -> String {
    var people = RandomPeople(random: SeededRandom(seed: seed))
    if makesNamespaces {
      people.lines.append(
        "insert into kith.namespaces (provider, tenant) values ('apple', 'TEAM'), ('naver', 'client');")
    }
    for family in 0..<count { people.addFamily(family, of: size) }
    return people.lines.joined(separator: "\n")
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func addFamily(_ family: Int, of size: Int) {
    let users = (1...size).map { UserID.numbered(UInt64(size * family + $0)) }
    for user in users { addUser(user) }
    // Who holds each address as verified, if anything vouches for it.
    let holders = (0..<Self.addressesEach).map { _ in Int.random(in: users.indices, using: &random) }
    for (number, user) in users.enumerated() {
      var sources = [[String]](repeating: [], count: Self.addressesEach)
      var mentioned: Set<Int> = []
      for count in 0...Int.random(in: 0..<4, using: &random) {
        let id = identityID(family, number, count)
        let address = chance(80) ? Int.random(in: 0..<Self.addressesEach, using: &random) : nil
        let isVerified = chance(60)
        if let address {
          mentioned.insert(address)
          if isVerified && holders[address] == number { sources[address].append("\(id)") }
        }
        addIdentity(id, of: user, "\(family)-\(number)-\(count)", address.map { email(family, $0) }, isVerified)
      }
      for address in 0..<Self.addressesEach {
        let isToken = holders[address] == number && chance(25)
        // What an identity reports may have been dropped, when somebody else proved it.
        let isClaimed = mentioned.contains(address) ? chance(80) : chance(30)
        guard !sources[address].isEmpty || isToken || isClaimed else {
          if chance(30) { removeEmail(email(family, address), of: user) }
          continue
        }
        addEmail(email(family, address), of: user, sources[address], isToken, spelling: number)
      }
      for count in 0..<Int.random(in: 0..<3, using: &random) {
        lines.append(
          """
          insert into kith.unlinked values (1, '\(chance(50) ? "\(family)-\((number + 1) % size)-0" : "gone-\(count)-\(family)")',
            '\(user)', '2026-11-01 00:00:0\(count)+00') on conflict do nothing;
          """)
      }
    }
  }

  private func email(_ family: Int, _ address: Int) -> String { "a\(family).\(address)@example.org" }

  private func identityID(_ family: Int, _ user: Int, _ count: Int) -> UniqueID {
    UniqueID(high: 0x0192_0001_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(family * 100 + user * 10 + count))
  }

  private mutating func addUser(_ user: UserID) {
    var profile: [String] = []
    if chance(60) { profile.append(#""name":{"full":"Mira \#(Int.random(in: 0..<3, using: &random))"}"#) }
    for part in ["nickname", "picture", "locale"] where chance(50) {
      profile.append(#""\#(part)":"p\#(Int.random(in: 0..<2, using: &random))"#)
      profile[profile.count - 1] += "\""
    }
    if chance(30) { profile.append(#""details":{"a":[1.0,{"b":null}]}"#) }
    let name = profile.first { $0.hasPrefix(#""name""#) }.map { "mira \($0.dropLast(2).last ?? "0")" } ?? ""
    let isDisabled = chance(20)
    lines.append(
      """
      insert into kith.users (id, status, profile, search_name, disabled_reason) values ('\(user)',
        '\(isDisabled ? "disabled" : "active")', '{\(profile.joined(separator: ","))}', '\(name)',
        \(isDisabled ? "'by Ron'" : "null"));
      """)
  }

  private mutating func addIdentity(
    _ id: UniqueID, of user: UserID, _ subject: String, _ email: String?, _ isVerified: Bool
  ) {
    let address = email.map { "'\($0)', '\($0)', \(isVerified)" } ?? "null, null, null"
    let ways = ["register", "email", "confirm", "link", "import"]
    lines.append(
      """
      insert into kith.identities (namespace_id, subject, user_id, id, email, email_canonical, email_verified,
        linked_at, linked_by, user_status)
      select \(chance(50) ? 1 : 2), '\(subject)', u.id, '\(id)', \(address), '2026-11-02 00:00:00+00',
        '\(ways[Int.random(in: 0..<ways.count, using: &random)])', u.status from kith.users u where u.id = '\(user)';
      """)
  }

  private mutating func addEmail(
    _ email: String, of user: UserID, _ sources: [String], _ isToken: Bool, spelling: Int
  ) {
    lines.append(
      """
      insert into kith.emails (user_id, canonical, email, added_at, vouched_by, vouched_by_token) values ('\(user)',
        '\(email)', '\(spelling == 0 ? email : email.uppercased())', '2026-11-03 00:00:0\(spelling)+00',
        '{\(sources.joined(separator: ","))}', \(isToken));
      """)
  }

  private mutating func removeEmail(_ email: String, of user: UserID) {
    lines.append(
      "insert into kith.removed_emails values ('\(user)', '\(email)', '2026-11-04 00:00:0\(lines.count % 10)+00');")
  }
}

extension UserID {
  /// The user that the seeds make with this number.
  public static func numbered(_ number: UInt64) -> UserID {
    UserID(UniqueID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000 | number))
  }
}
