import Accounts
import Postgres

/// What else a plan to merge two users tells.
public enum MergePlanParts {
  /// The canonical addresses that both have.
  public static let sharedEmails = Statement<(UserID, UserID, limit: Int32), ExactText>(
    "find_shared_emails",
    """
    select a.canonical from kith.emails a join kith.emails b on b.user_id = $2::uuid and b.canonical = a.canonical
    where a.user_id = $1::uuid order by a.canonical limit $3::int4
    """,
    encode: { input, parameters in
      parameters.add(input.0.unique)
      parameters.add(input.1.unique)
      parameters.add(input.limit)
    },
    decode: { row throws(PostgresError) in try row.exactText() })

  /// The registrations that became a user.
  public static let registrations = Statement<(user: UserID, limit: Int32), RegistrationID>(
    "find_completed_registrations",
    "select r.id from kith.registrations r where r.user_id = $1::uuid order by r.id limit $2::int4",
    encode: { input, parameters in
      parameters.add(input.user.unique)
      parameters.add(input.limit)
    },
    decode: { row throws(PostgresError) in try row.id() })
}
