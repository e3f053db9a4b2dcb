import Accounts
import Postgres

/// What providers say now of the addresses of identities. Of one that a merge brought it is written down for the undo.
public enum RecordIdentityEmails {
  public struct Record: Sendable {
    public let identity: IdentityID
    public let email: ReportedEmail
    public let at: Timestamp

    public init(identity: IdentityID, email: ReportedEmail, at: Timestamp) {
      self.identity = identity
      self.email = email
      self.at = at
    }
  }

  public static let statement = Statement<[Record], Void>(
    "record_identity_emails",
    """
    with reported as (
      select r.id, r.email, r.canonical, r.verified, r.is_private, r.at
      from unnest($1::uuid[], $2::text[], $3::text[], $4::bool[], $5::bool[], $6::timestamptz[])
        r (id, email, canonical, verified, is_private, at)
    ), brought as (
      insert into kith.merged_reports (merge_id, canonical, survivor_had, at)
      select distinct on (m.id, r.canonical) m.id, r.canonical, exists (
        select from kith.emails e where e.user_id = m.survivor and e.canonical = r.canonical offset 0
      ) or exists (
        select from kith.merges n join kith.merged_emails j on j.merge_id = n.id and j.canonical = r.canonical
        where n.absorbed = m.survivor and n.state = 'done' offset 0
      ), r.at
      from reported r
      cross join lateral (
        select j.merge_id from kith.merged_identities j where j.identity_id = r.id offset 0
      ) j
      cross join lateral (
        select m.id, m.survivor from kith.merges m where m.id = j.merge_id and m.state = 'done' offset 0
      ) m
      where not exists (
        select from kith.identities i
        join kith.removed_emails x on x.user_id = i.user_id and x.canonical = r.canonical
        where i.id = r.id offset 0
      )
      on conflict (merge_id, canonical) do update set at = excluded.at
    )
    update kith.identities i
    set email = r.email, email_canonical = r.canonical, email_verified = r.verified, is_private_email = r.is_private
    from reported r where i.id = r.id
    """
  ) { records, parameters in
    parameters.add(column: { $0.identity.unique }, of: records)
    parameters.add(column: { $0.email.address.asGiven }, of: records)
    parameters.add(column: { $0.email.address.canonical }, of: records)
    parameters.add(column: { $0.email.isVerified }, of: records)
    parameters.add(optional: { $0.email.isPrivate }, of: records)
    parameters.add(column: { $0.at }, of: records)
  }
}
