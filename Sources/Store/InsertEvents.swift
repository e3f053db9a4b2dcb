import Accounts
import JSON
import Postgres

/// Events, in the transaction of what they tell.
public enum InsertEvents {
  public struct Record: Sendable {
    public let id: EventID
    public let event: Event
    public let at: Timestamp
    /// Nil when nobody called.
    public let caller: CallerName?

    public init(id: EventID, event: Event, at: Timestamp, caller: CallerName?) {
      self.id = id
      self.event = event
      self.at = at
      self.caller = caller
    }
  }

  public static let statement = Statement<[Record], Void>(
    "insert_events",
    """
    insert into kith.events (id, type, at, user_id, caller, data)
    select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[], $6::json[])
    """
  ) { records, parameters in
    parameters.add(column: { $0.id.unique }, of: records)
    parameters.add(column: { $0.event.type.rawValue }, of: records)
    parameters.add(column: { $0.at }, of: records)
    parameters.add(optional: { $0.event.user?.unique }, of: records)
    parameters.add(optional: { $0.caller?.text }, of: records)
    parameters.add(column: { data(of: $0.event) }, of: records)
  }

  /// What the event carries besides whom it happened to.
  private static func data(of event: Event) -> JSONText {
    var writer = JSONWriter()
    writer.beginObject()
    switch event {
    case .userRegistered(_, let identity, let namespace):
      write(identity, namespace, to: &writer)
    case .identityLinked(_, let identity, let namespace, let by):
      write(identity, namespace, to: &writer)
      writer.member("linked_by")
      writer.string(by.rawValue)
    case .identityUnlinked(_, let identity, let namespace):
      write(identity, namespace, to: &writer)
    case .identityEmailChanged(_, let identity, let email):
      writer.member("identity_id")
      writer.string(identity.description)
      write(email, to: &writer)
    case .emailVerified(_, let email), .emailUnverified(_, let email), .emailClaimDropped(_, let email):
      write(email, to: &writer)
    case .registrationHeld(let registration, let namespace), .registrationExpired(let registration, let namespace):
      write(registration, to: &writer)
      write(namespace, to: &writer)
    case .registrationCompleted(_, let registration):
      write(registration, to: &writer)
    case .userMerged(let into, let from, let merge), .userUnmerged(let into, let from, let merge):
      writer.member("merge_id")
      writer.string(merge.description)
      writer.member("from")
      writer.string(from.description)
      writer.member("into")
      writer.string(into.description)
    case .userErased(_, let formerIDs):
      writer.member("former_ids")
      writer.beginArray()
      for id in formerIDs { writer.string(id.description) }
      writer.endArray()
    case .userUpdated, .userDisabled, .userEnabled:
      break
    }
    writer.endObject()
    return JSONText(String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func write(_ identity: IdentityID, _ namespace: Namespace, to writer: inout JSONWriter) {
    writer.member("identity_id")
    writer.string(identity.description)
    write(namespace, to: &writer)
  }

  private static func write(_ registration: RegistrationID, to writer: inout JSONWriter) {
    writer.member("registration_id")
    writer.string(registration.description)
  }

  private static func write(_ namespace: Namespace, to writer: inout JSONWriter) {
    writer.member("provider")
    writer.string(namespace.provider.rawValue)
    writer.member("tenant")
    writer.string(namespace.tenant.string)
  }

  private static func write(_ email: ExactText, to writer: inout JSONWriter) {
    writer.member("email")
    writer.string(email.string)
  }
}
