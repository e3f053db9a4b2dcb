import Accounts
import Postgres

/// What the survivor of a merge has now, beside what came with the merge.
public enum FindForUnmerge {
  public struct Question: Sendable {
    public let merge: MergeID
    public let survivor: UserID

    public init(merge: MergeID, survivor: UserID) {
      self.merge = merge
      self.survivor = survivor
    }
  }

  public static let identities = Statement<Question, UnmergeDecision.Identity>(
    "find_identities_to_unmerge",
    """
    select i.id, n.provider = 'password', i.email_canonical, j.identity_id is not null
    from kith.identities i join kith.namespaces n on n.id = i.namespace_id
    left join kith.merged_identities j on j.merge_id = $1::uuid and j.identity_id = i.id
    where i.user_id = $2::uuid order by i.id
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      UnmergeDecision.Identity(
        id: try row.id(), isPassword: try row.bool(), email: try row.optionalExactText(), came: try row.bool())
    })

  public typealias Address = (now: UnmergeDecision.Address, former: UnmergeDecision.Former?, isReported: Bool)

  public static let addresses = Statement<Question, Address>(
    "find_addresses_to_unmerge",
    """
    select e.canonical, e.email, e.added_at, e.vouched_by, e.vouched_by_token,
      j.email, j.added_at, j.vouched_by_token, j.survivor_added_at, j.survivor_vouched_by_token, j.survivor_reported,
      exists (
        select from kith.merged_reports r
        where r.merge_id = $1::uuid and r.canonical = e.canonical and r.at >= e.added_at
      )
    from kith.emails e
    left join kith.merged_emails j on j.merge_id = $1::uuid and j.canonical = e.canonical
    where e.user_id = $2::uuid order by e.canonical
    """,
    encode: encode,
    decode: { row throws(PostgresError) in
      let now = UnmergeDecision.Address(
        canonical: try row.exactText(), email: try row.exactText(), addedAt: try row.timestamp(),
        vouchers: try row.uuids().map { IdentityID(UniqueID(high: $0.high, low: $0.low)) },
        isProvedByToken: try row.bool())
      let email = try row.optionalExactText()
      let addedAt = try row.optionalTimestamp()
      let isProvedByToken = try row.optionalBool()
      let ownAddedAt = try row.optionalTimestamp()
      let isOwnProvedByToken = try row.optionalBool()
      let isReportedBySurvivor = try row.optionalBool()
      let isReported = try row.bool()
      guard let email, let addedAt, let isProvedByToken, let isReportedBySurvivor else { return (now, nil, isReported) }
      var own: UnmergeDecision.Former.Own?
      if let ownAddedAt, let isOwnProvedByToken {
        own = UnmergeDecision.Former.Own(addedAt: ownAddedAt, isProvedByToken: isOwnProvedByToken)
      }
      return (
        now,
        UnmergeDecision.Former(
          email: email, addedAt: addedAt, isProvedByToken: isProvedByToken, survivor: own,
          isReportedBySurvivor: isReportedBySurvivor),
        isReported
      )
    })

  @Sendable
  private static func encode(_ question: Question, _ parameters: inout Parameters) {
    parameters.add(question.merge.unique)
    parameters.add(question.survivor.unique)
  }
}
