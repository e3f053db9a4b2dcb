import Accounts
import Postgres

/// Takes newly proved addresses from everybody who only claimed them, and tells each.
///
/// Whoever loses a claim comes under a new epoch: challenges and tokens made before are dead. Their row is changed, and so
/// locked, before the event takes its number, so that a user's events come in the order of their numbers.
public enum DropClaims {
  public struct Record: Sendable {
    /// The canonical address.
    public let address: ExactText
    /// Who proved it.
    public let user: UserID
    public let at: Timestamp
    public let caller: CallerName

    public init(address: ExactText, user: UserID, at: Timestamp, caller: CallerName) {
      self.address = address
      self.user = user
      self.at = at
      self.caller = caller
    }
  }

  public static let statement = Statement<[Record], Void>(
    "drop_claims",
    """
    with proved as (
      select * from unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::text[]) p (canonical, user_id, at, caller)
    ), dropped as (
      delete from kith.emails e using proved p
      where e.canonical = p.canonical and not e.verified and e.user_id <> p.user_id
      returning e.user_id, e.canonical, p.at, p.caller
    ), moved_on as (
      update kith.users set epoch = epoch + 1 where id in (select user_id from dropped)
      returning id
    )
    insert into kith.events (id, type, at, user_id, caller, data)
    select gen_random_uuid(), 'email.claim_dropped', d.at, d.user_id, d.caller, json_build_object('email', d.canonical)
    from dropped d join moved_on m on m.id = d.user_id
    """
  ) { records, parameters in
    parameters.add(column: { $0.address }, of: records)
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { $0.at }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
  }
}
