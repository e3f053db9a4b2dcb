import Accounts
import Postgres

/// Identities that no longer vouch for an address of their user; where they were the last source the address becomes a mere
/// claim, the user is told, and comes under a new epoch: challenges and tokens made before are dead.
public enum StopVouching {
  public struct Record: Sendable {
    public let identity: IdentityID
    public let user: UserID
    /// The canonical address.
    public let address: ExactText
    public let at: Timestamp
    public let caller: CallerName

    public init(identity: IdentityID, user: UserID, address: ExactText, at: Timestamp, caller: CallerName) {
      self.identity = identity
      self.user = user
      self.address = address
      self.at = at
      self.caller = caller
    }
  }

  public static let statement = Statement<[Record], Void>(
    "stop_vouching",
    """
    with stopped as (
      update kith.emails e set vouched_by = array_remove(e.vouched_by, s.identity_id)
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[])
        s (identity_id, user_id, canonical, at, caller)
      where e.user_id = s.user_id and e.canonical = s.canonical and s.identity_id = any (e.vouched_by)
      returning e.user_id, e.canonical, e.verified, s.at, s.caller
    ), moved_on as (
      update kith.users set epoch = epoch + 1 where id in (select user_id from stopped where not verified)
    )
    insert into kith.events (id, type, at, user_id, caller, data)
    select gen_random_uuid(), 'email.unverified', at, user_id, caller, json_build_object('email', canonical)
    from stopped where not verified
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.user.unique }, of: records)
    parameters.add(column: { $0.address }, of: records)
    parameters.add(column: { $0.at }, of: records)
    parameters.add(column: { $0.caller.text }, of: records)
  }
}
