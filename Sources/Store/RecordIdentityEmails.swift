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
      select i.user_id, r.id, r.email, r.canonical, r.verified, r.is_private, r.at
      from unnest($1::uuid[], $2::text[], $3::text[], $4::bool[], $5::bool[], $6::timestamptz[])
        r (id, email, canonical, verified, is_private, at)
      join kith.identities i on i.id = r.id
    ), brought as (
      insert into kith.merged_reports (merge_id, canonical, survivor_had, at)
      select distinct on (m.id, r.canonical) m.id, r.canonical, exists (
        select from kith.emails e where e.user_id = m.survivor and e.canonical = r.canonical
      ) or exists (
        select from kith.merges n join kith.merged_emails j on j.merge_id = n.id and j.canonical = r.canonical
        where n.absorbed = m.survivor and n.state = 'done'
      ), r.at
      from reported r
      join kith.merged_identities j on j.identity_id = r.id
      join kith.merges m on m.id = j.merge_id and m.state = 'done'
      where not exists (
        select from kith.removed_emails x where x.user_id = r.user_id and x.canonical = r.canonical
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
