import Accounts
import Postgres

/// A merge itself: that it was done, or undone.
public enum WriteMerge {
  public static let insert = Statement<(merge: MergeRecord, planDigest: [UInt8]), Void>(
    "insert_merge",
    """
    insert into kith.merges (id, survivor, absorbed, reason, caller, at, identities, emails, credentials, registrations,
      credentials_left, absorbed_status, filled, plan_sha256)
    values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::timestamptz, $7::int4, $8::int4, $9::int4, $10::int4,
      $11::int4, $12::text, $13::text[], $14::bytea)
    """
  ) { input, parameters in
    let merge = input.merge
    parameters.add(merge.id.unique)
    parameters.add(merge.survivor.unique)
    parameters.add(merge.absorbed.unique)
    parameters.add(merge.reason)
    parameters.add(merge.by)
    parameters.add(merge.at)
    parameters.add(merge.moved.identities)
    parameters.add(merge.moved.emails)
    parameters.add(merge.moved.credentials)
    parameters.add(merge.moved.registrations)
    parameters.add(merge.credentialsLeft)
    parameters.add(merge.absorbedStatus.rawValue)
    parameters.add(column: { $0.rawValue }, of: merge.filled)
    parameters.add(ByteString(input.planDigest))
  }

  public static let undo = Statement<(merge: MergeID, undo: MergeRecord.Undo), Void>(
    "undo_merge",
    """
    update kith.merges m set state = 'undone', undone_at = $2::timestamptz, undone_by = $3::text, undo_reason = $4::text
    where m.id = $1::uuid
    """
  ) { input, parameters in
    parameters.add(input.merge.unique)
    parameters.add(input.undo.at)
    parameters.add(input.undo.by)
    parameters.add(input.undo.reason)
  }
}
