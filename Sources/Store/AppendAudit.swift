import Accounts
import JSON
import Postgres

/// One row of the audit trail. It holds the end of the trail locked until the transaction ends, so it comes last.
public enum AppendAudit {
  public struct Record: Sendable {
    public let caller: CallerName
    /// The caller's user id as the kernel told it.
    public let peerUID: UInt32
    /// The method that was called.
    public let action: StaticString
    /// Whom it concerns, if it concerns a user.
    public let user: UserID?
    /// The identity that was attached or taken off, if it was one.
    public let identity: IdentityID?
    /// The credential that was changed, if it was one.
    public let credential: CredentialID?
    /// The registration that was dropped, if it was one.
    public let registration: RegistrationID?
    /// The merge that was done or undone, if it was one, and who was absorbed.
    public let merge: (id: MergeID, absorbed: UserID)?
    /// Who was erased along with the user.
    public let formerIDs: [UserID]
    /// The lost keys that were given up with what they sealed.
    public let givenUp: [ExactText]
    public let reason: ChangeReason?
    /// The parts of the profile that were changed, by name; never what they say.
    public let changedParts: [ProfilePart]

    public init(
      caller: CallerName, peerUID: UInt32, action: StaticString, user: UserID?, reason: ChangeReason?,
      changedParts: [ProfilePart] = [], identity: IdentityID? = nil, credential: CredentialID? = nil,
      registration: RegistrationID? = nil, merge: (id: MergeID, absorbed: UserID)? = nil,
      formerIDs: [UserID] = [], givenUp: [ExactText] = []
    ) {
      self.caller = caller
      self.peerUID = peerUID
      self.action = action
      self.user = user
      self.reason = reason
      self.changedParts = changedParts
      self.identity = identity
      self.credential = credential
      self.registration = registration
      self.merge = merge
      self.formerIDs = formerIDs
      self.givenUp = givenUp
    }
  }

  public static let statement = Statement<Record, Void>(
    "append_audit",
    "select kith.append_audit($1::text, $2::int8, $3::text, $4::uuid, $5::text, $6::json)"
  ) { record, parameters in
    parameters.add(record.caller.text)
    parameters.add(Int64(record.peerUID))
    parameters.add(String(describing: record.action))
    parameters.add(record.user?.unique)
    parameters.add(record.reason?.text)
    parameters.add(data(of: record))
  }

  private static func data(of record: Record) -> JSONText {
    var writer = JSONWriter()
    writer.beginObject()
    if !record.changedParts.isEmpty {
      writer.member("changed")
      writer.beginArray()
      for part in record.changedParts { writer.string(part.rawValue) }
      writer.endArray()
    }
    if let identity = record.identity {
      writer.member("identity_id")
      writer.string(identity.description)
    }
    if let credential = record.credential {
      writer.member("credential_id")
      writer.string(credential.description)
    }
    if let registration = record.registration {
      writer.member("registration_id")
      writer.string(registration.description)
    }
    if let merge = record.merge {
      writer.member("merge_id")
      writer.string(merge.id.description)
      writer.member("absorbed_id")
      writer.string(merge.absorbed.description)
    }
    if !record.formerIDs.isEmpty {
      writer.member("former_ids")
      writer.beginArray()
      for id in record.formerIDs { writer.string(id.description) }
      writer.endArray()
    }
    if !record.givenUp.isEmpty {
      writer.member("keys")
      writer.beginArray()
      for key in record.givenUp { writer.string(key.string) }
      writer.endArray()
    }
    writer.endObject()
    return JSONText(String(decoding: writer.bytes, as: UTF8.self))
  }
}
