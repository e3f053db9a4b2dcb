import Accounts
import Postgres

/// A user's status as it is from now on; their identities take it over by themselves.
///
/// A user who is disabled comes under a new epoch: challenges and tokens made before are dead.
public enum SetStatus {
  public struct Record: Sendable {
    public let user: UserID
    public let status: UserStatus
    /// Why; kept with the user while they are disabled.
    public let reason: ChangeReason
    public let at: Timestamp

    public init(user: UserID, status: UserStatus, reason: ChangeReason, at: Timestamp) {
      self.user = user
      self.status = status
      self.reason = reason
      self.at = at
    }
  }

  public static let statement = Statement<Record, Void>(
    "set_status",
    """
    update kith.users set
      status = $2::text,
      disabled_reason = case when $2::text = 'disabled' then $3::text end,
      disabled_by_merge = null,
      epoch = epoch + case when $2::text = 'disabled' then 1 else 0 end,
      updated_at = $4::timestamptz
    where id = $1::uuid
    """
  ) { record, parameters in
    parameters.add(record.user.unique)
    parameters.add(record.status.rawValue)
    parameters.add(record.reason.text)
    parameters.add(record.at)
  }
}
