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

  /// In the order of the ids, so that two daemons that note the same identities never wait for each other in a ring.
  /// Identities that are gone, or that somebody has locked, are left out.
  public static let statement = Statement<[Record], Void>(
    "note_sign_ins",
    """
    insert into kith.last_sign_ins as l (identity_id, at)
    select i.id, r.at
    from unnest($1::uuid[], $2::timestamptz[]) r (id, at) join kith.identities i on i.id = r.id
    order by i.id
    for key share of i skip locked
    on conflict (identity_id) do update set at = excluded.at where l.at < excluded.at
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.at }, of: records)
  }
}
