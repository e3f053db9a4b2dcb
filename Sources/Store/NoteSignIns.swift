import Accounts
import Postgres

/// When identities last signed in.
public enum NoteSignIns {
  public struct Record: Sendable {
    public let identity: IdentityID
    public let at: Timestamp

    public init(identity: IdentityID, at: Timestamp) {
      self.identity = identity
      self.at = at
    }
  }

  /// In the order of the ids, so that two daemons that note the same identities never wait for each other in a ring; rows
  /// that somebody has locked are left to the next time.
  public static let statement = Statement<[Record], Void>(
    "note_sign_ins",
    """
    with free as (
      select i.namespace_id, i.subject, r.at
      from unnest($1::uuid[], $2::timestamptz[]) r (id, at) join kith.identities i on i.id = r.id
      where i.last_sign_in_at is null or i.last_sign_in_at < r.at
      order by i.id
      for no key update of i skip locked
    )
    update kith.identities i set last_sign_in_at = f.at
    from free f where i.namespace_id = f.namespace_id and i.subject = f.subject
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.at }, of: records)
  }
}
