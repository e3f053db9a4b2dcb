import Testing
import API
import JSON
import JSONRPC

/// Calls of one method and an answer, as they are on the wire.
struct MethodExample: Sendable, CustomTestStringConvertible {
  let method: any Method.Type
  /// Parameters with nothing that may be left out.
  let minimal: String
  /// Each set of parameters has members that the minimal one has not; together they have every one.
  let full: [String]
  let result: String

  init<M: Method>(_ method: M.Type, minimal: String, full: [String], result: String) {
    self.method = method
    self.minimal = minimal
    self.full = full
    self.result = result
  }

  var name: String { "\(method.name)" }
  var testDescription: String { name }

  /// Why the method refuses these parameters, or nil if it takes them.
  func refusal(of params: String?) -> RPCError? {
    Self.refusal(of: params, method)
  }

  private static func refusal<M: Method>(of params: String?, _: M.Type) -> RPCError? {
    do {
      if let params {
        _ = try reading(params) { try Request<M>(decoding: $0) }
      } else {
        _ = try Request<M>(decoding: nil)
      }
      return nil
    } catch {
      return error as? RPCError
    }
  }

  /// The parameters decoded and written again.
  func again(_ params: String) throws -> String { try Self.again(params, method) }

  private static func again<M: Method>(_ params: String, _: M.Type) throws -> String {
    var writer = JSONWriter()
    try reading(params) { try Request<M>(decoding: $0) }.encode(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A result decoded and written again.
  func resultAgain(_ result: String) throws -> String { try Self.resultAgain(result, method) }

  private static func resultAgain<M: Method>(_ result: String, _: M.Type) throws -> String {
    var writer = JSONWriter()
    try reading(result) { try Response<M>(decoding: $0) }.encode(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension MethodExample {
  private static let id = "0193a1b2-0000-7000-8000-0123456789ab"
  private static let otherID = "0193a1b2-0000-7000-8000-0123456789ac"
  private static let time = "2026-11-30T04:05:06.789Z"
  private static let profile = """
    {"name":{"given":"Mira","family":"Beispiel","full":"Mira Beispiel"},"nickname":"mi","picture":"https://example.org/m",\
    "locale":"de_DE","details":{"a":[1,{"b":null}],"":""}}
    """
  private static let email = """
    {"email":"Mira@Example.org","canonical":"mira@example.org","verified":true,"sources":["\(id)","email_token"],\
    "added_at":"\(time)"}
    """
  private static let identity = """
    {"id":"\(otherID)","provider":"apple","tenant":"ABCDE12345","subject":"000123.abc","user_id":"\(id)",\
    "email":"mira@example.org","email_verified":true,"linked_at":"\(time)","linked_by":"import",\
    "last_sign_in_at":"\(time)"}
    """
  private static let user = """
    {"id":"\(id)","status":"active","created_at":"\(time)","profile":\(profile),"emails":[\(email)],\
    "identities":[\(identity)]}
    """
  private static let claims = """
    "provider":"apple","tenant":"ABCDE12345","subject":"000123.abc","email":"mira@example.org","email_verified":true,\
    "is_private_email":false,"name":{"given":"Mira","family":"Beispiel","full":"Mira Beispiel"},"nickname":"mi",\
    "picture":"https://example.org/m","locale":"de_DE","details":{"a":[1,{"b":null}],"":""}
    """
  private static let identityBySubject = #"{"provider":"apple","tenant":"ABCDE12345","subject":"000123.abc"}"#
  private static let bySubject =
    #"{"provider":"apple","tenant":"ABCDE12345","subject":"000123.abc","include":["profile","emails","identities"]}"#
  private static let place = #""access_group":"web","account":"mira","service":"example.net""#
  private static let content = """
    "label":"Mail","user_id":"\(id)","expires_at":"\(time)","attributes":{"a":[1,{"b":null}],"":""}
    """
  private static let credential = """
    {\(place),\(content),"version":2,"created_at":"\(time)","updated_at":"\(time)"}
    """
  private static let counts = #"{"identities":1,"emails":2,"credentials":3,"registrations":4}"#
  private static let merge = """
    "merge_id":"\(id)","survivor":"\(id)","absorbed":"\(otherID)","state":"undone","reason":"One person.","by":"ops",\
    "at":"\(time)","moved":\(counts),"credentials_left":1,"undone_at":"\(time)","undone_by":"ops",\
    "undo_reason":"Two after all."
    """
  private static let limits = """
    {"frame_bytes":1048576,"batch_calls":1000,"nesting":64,"calls_in_flight":256,"answer_bytes_queued":4194304,\
    "frame_seconds":10,"connections_per_uid":4096}
    """

  private static let registration = """
    {"id":"\(otherID)","provider":"apple","tenant":"ABCDE12345","subject":"000123.abc","details":{\(claims)},\
    "attempts":0,"held_at":"\(time)","expires_at":"\(time)"}
    """

  static let all: [MethodExample] = [
    MethodExample(
      SignInResolve.self, minimal: #"{"provider":"apple","subject":"000123.abc"}"#,
      full: [
        #"{\#(claims),"register":"auto","link":"verified_email","include":["profile","emails"],"request_key":"k 1"}"#
      ],
      result: """
        {"outcome":"link_required","matched_by":"email","user":\(user),"identity":\(identity),"registration":\
        {"id":"\(otherID)","provider":"apple","tenant":"ABCDE12345","subject":"000123.abc","details":{\(claims)},\
        "attempts":2,"last_reason":"The app's own step failed.","held_at":"\(time)","expires_at":"\(time)"},\
        "challenge":{"id":"\(id)","expires_at":"\(time)","candidates":[{"user_id":"\(id)","providers":["apple"]}]},\
        "resumed":true,"request_id":"\(otherID)"}
        """),
    MethodExample(
      RegistrationComplete.self, minimal: #"{"registration_id":"\#(id)"}"#,
      full: [#"{"registration_id":"\#(id)","profile":\#(profile),"include":["profile"],"request_key":"k"}"#],
      result: #"{"outcome":"registered","user":\#(user),"identity":\#(identity),"resumed":true}"#),
    MethodExample(
      RegistrationGet.self, minimal: #"{"registration_id":"\#(id)"}"#, full: [],
      result: #"{"registration":\#(registration)}"#),
    MethodExample(
      RegistrationList.self, minimal: "{}", full: [#"{"email":"mira@example.org","limit":1,"after":"x"}"#],
      result: #"{"items":[\#(registration)],"next":"x"}"#),
    MethodExample(
      RegistrationFail.self, minimal: #"{"registration_id":"\#(id)","reason":"Mail bounced."}"#,
      full: [#"{"registration_id":"\#(id)","reason":"Mail bounced.","request_key":"k"}"#],
      result: #"{"attempts":3,"request_id":"\#(otherID)"}"#),
    MethodExample(
      RegistrationDiscard.self, minimal: #"{"registration_id":"\#(id)"}"#,
      full: [#"{"registration_id":"\#(id)","reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"discarded":true}"#),
    MethodExample(
      LinkConfirm.self,
      minimal: #"{"challenge_id":"\#(id)","proof":{"user_id":"\#(otherID)","authenticated":true}}"#,
      full: [
        #"{"challenge_id":"\#(id)","proof":{"claims":{\#(claims)}},"include":["profile"],"request_key":"k"}"#
      ],
      result: #"{"outcome":"linked","matched_by":"email","user":\#(user),"identity":\#(identity),"resumed":true}"#),
    MethodExample(
      UserGet.self, minimal: #"{"id":"\#(id)"}"#,
      full: [bySubject, #"{"email":"mira@example.org"}"#, #"{"id":"\#(id)","include":["emails"]}"#],
      result: #"{"user":\#(user),"requested_id":"\#(otherID)","merged":true}"#),
    MethodExample(
      UserSearch.self, minimal: #"{"query":"example.org"}"#,
      full: [#"{"query":"mira","status":"disabled","limit":1000,"after":"xyz","include":["profile"]}"#],
      result: #"{"items":[\#(user)],"next":"xyz"}"#),
    MethodExample(
      UserUpdate.self, minimal: #"{"id":"\#(id)","profile":{}}"#,
      full: [
        #"{"id":"\#(id)","profile":\#(profile),"request_key":"k"}"#,
        #"{"id":"\#(id)","profile":{"locale":"ko"},"clear":["name","nickname","picture","details"]}"#,
      ],
      result: #"{"user":\#(user),"request_id":"\#(otherID)"}"#),
    MethodExample(
      UserDisable.self, minimal: #"{"id":"\#(id)","reason":"Asked for it."}"#,
      full: [#"{"id":"\#(id)","reason":"Asked for it.","request_key":"k"}"#], result: #"{"user":\#(user)}"#),
    MethodExample(
      UserEnable.self, minimal: #"{"id":"\#(id)","reason":"Asked for it."}"#,
      full: [#"{"id":"\#(id)","reason":"Asked for it.","request_key":"k"}"#], result: #"{"user":\#(user)}"#),
    MethodExample(
      UserExport.self, minimal: #"{"id":"\#(id)"}"#, full: [#"{"id":"\#(id)"}"#],
      result: #"""
        {"export":{"user":\#(user),"former_ids":["\#(otherID)"],"disabled_reason":"Asked for it.","unlinked":[],\#
        "removed_emails":[],"credentials":[],"registrations":[],\#
        "held_registrations":[],"history":{"updated_at":"2026-11-30T05:58:29.153Z","email_tokens":[],"events":[],\#
        "former_users":[],"merges":[],"audit":[],"credentials":[]}}}
        """#),
    MethodExample(
      UserErase.self, minimal: #"{"id":"\#(id)","reason":"Asked for it."}"#,
      full: [#"{"id":"\#(id)","reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"user":\#(user),"former_ids":["\#(otherID)"]}"#),
    MethodExample(
      IdentityList.self, minimal: #"{"user_id":"\#(id)"}"#, full: [#"{"user_id":"\#(id)","limit":1,"after":"x"}"#],
      result: #"{"items":[\#(identity)],"next":"x"}"#),
    MethodExample(
      IdentityGet.self, minimal: #"{"id":"\#(id)"}"#, full: [identityBySubject],
      result: #"{"identity":\#(identity)}"#),
    MethodExample(
      IdentityLink.self, minimal: #"{"user_id":"\#(id)","claims":{"provider":"apple","subject":"000123.abc"}}"#,
      full: [#"{"user_id":"\#(id)","claims":{\#(claims)},"reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"identity":\#(identity),"request_id":"\#(otherID)"}"#),
    MethodExample(
      IdentityUnlink.self, minimal: #"{"user_id":"\#(id)","identity_id":"\#(otherID)"}"#,
      full: [#"{"user_id":"\#(id)","identity_id":"\#(otherID)","reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"unlinked":true,"request_id":"\#(otherID)"}"#),
    MethodExample(
      EmailList.self, minimal: #"{"user_id":"\#(id)"}"#, full: [#"{"user_id":"\#(id)","limit":1,"after":"x"}"#],
      result: #"{"items":[\#(email)]}"#),
    MethodExample(
      EmailAdd.self, minimal: #"{"user_id":"\#(id)","email":"mira@example.org"}"#,
      full: [#"{"user_id":"\#(id)","email":"mira@example.org","request_key":"k"}"#],
      result: #"{"email":\#(email),"token":"q3VZ-p0X_n8","expires_at":"\#(time)","request_id":"\#(otherID)"}"#),
    MethodExample(
      EmailVerify.self, minimal: #"{"user_id":"\#(id)","email":"mira@example.org","token":"q3VZ-p0X_n8"}"#,
      full: [#"{"user_id":"\#(id)","email":"mira@example.org","token":"a \"b\" ä","request_key":"k"}"#],
      result: #"{"email":\#(email),"request_id":"\#(otherID)"}"#),
    MethodExample(
      EmailRemove.self, minimal: #"{"user_id":"\#(id)","email":"mira@example.org"}"#,
      full: [#"{"user_id":"\#(id)","email":"mira@example.org","reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"removed":true,"request_id":"\#(otherID)"}"#),
    MethodExample(
      MergePlan.self, minimal: #"{"users":["\#(id)","\#(otherID)"]}"#,
      full: [#"{"users":["\#(id)","\#(otherID)"],"survivor":"\#(id)"}"#],
      result: """
        {"plan_token":"AQ","expires_at":"\(time)","survivor":"\(id)","absorbed":"\(otherID)","moves":{"counts":\(counts),\
        "identities":[\(identity)],"emails":[\(email)],"credentials":[{\(place)}],"registrations":["\(id)"]},\
        "conflicts":[{"code":"email_shared","message":"Both have it.","user_id":"\(id)","email":"mira@example.org",\
        "credential":{\(place)}}],"consumers":[{"caller":"web","name":"billing","behind":2}]}
        """),
    MethodExample(
      MergeRun.self, minimal: #"{"plan_token":"AQ","reason":"One person."}"#,
      full: [#"{"plan_token":"AQ","reason":"One person.","request_key":"k"}"#],
      result: #"{\#(merge),"request_id":"\#(otherID)"}"#),
    MethodExample(
      MergeUndo.self, minimal: #"{"merge_id":"\#(id)","reason":"Two after all."}"#,
      full: [#"{"merge_id":"\#(id)","reason":"Two after all.","request_key":"k"}"#],
      result: #"{\#(merge),"request_id":"\#(otherID)"}"#),
    MethodExample(
      MergeGet.self, minimal: #"{"merge_id":"\#(id)"}"#, full: [],
      result: """
        {\(merge),"identities":["\(id)"],"emails":["mira@example.org"],"credentials":[{\(place)}],\
        "registrations":["\(id)"],"former_ids":["\(otherID)"]}
        """),
    MethodExample(
      MergeList.self, minimal: "{}", full: [#"{"user_id":"\#(id)","limit":1,"after":"7"}"#],
      result: #"{"items":[{\#(merge)}],"next":"7"}"#),
    MethodExample(
      DuplicateList.self, minimal: "{}",
      full: [#"{"limit":1,"after":"\#(id).\#(otherID)","min_score":0.85,"include":["profile","emails"]}"#],
      result: """
        {"items":[{"users":[\(user),\(user)],"score":0.85,"reasons":[{"code":"same_address","message":"Both have it."}]}],\
        "next":"\(id)","scanned":200,"total":1000,"crowded":1}
        """),
    MethodExample(
      CredentialAdd.self, minimal: #"{\#(place),"secret":"AA=="}"#,
      full: [#"{\#(place),"secret":"AAE=",\#(content),"request_key":"k"}"#],
      result: #"{"credential":\#(credential),"request_id":"\#(otherID)"}"#),
    MethodExample(
      CredentialUpdate.self, minimal: #"{\#(place),"secret":"AA=="}"#,
      full: [
        #"{\#(place),\#(content),"request_key":"k"}"#,
        #"{\#(place),"clear":["label","user_id","expires_at","attributes"]}"#,
      ],
      result: #"{"credential":\#(credential),"request_id":"\#(otherID)"}"#),
    MethodExample(
      CredentialPut.self, minimal: #"{\#(place),"secret":"AA=="}"#,
      full: [#"{\#(place),"secret":"AAE=",\#(content),"request_key":"k"}"#],
      result: #"{"credential":\#(credential)}"#),
    MethodExample(
      CredentialGet.self, minimal: #"{\#(place)}"#, full: [],
      result: #"{"credential":\#(credential.dropLast()),"secret":"AAEC"}}"#),
    MethodExample(
      CredentialList.self, minimal: "{}",
      full: [#"{\#(place),"user_id":"\#(id)","limit":1,"after":"x"}"#],
      result: #"{"items":[\#(credential)],"next":"x"}"#),
    MethodExample(
      CredentialDelete.self, minimal: #"{\#(place)}"#,
      full: [#"{\#(place),"reason":"Asked for it.","request_key":"k"}"#],
      result: #"{"deleted":true,"request_id":"\#(otherID)"}"#),
    MethodExample(
      CredentialHistory.self, minimal: #"{\#(place)}"#, full: [#"{\#(place),"limit":1,"after":"x"}"#],
      result: """
        {"items":[{"credential_id":"\(otherID)","version":1,"action":"expire","at":"\(time)","caller":"web"}],"next":"x"}
        """),
    MethodExample(
      EventRead.self, minimal: "{}",
      full: [#"{"consumer":"crm","cursor":"1.7","from":"now","limit":10,"wait_ms":60000}"#],
      result: """
        {"events":[{"cursor":"1.8","id":"\(otherID)","type":"user.merged","at":"\(time)","user_id":"\(id)",\
        "caller":"ops","data":{"from":"x"}}],"cursor":"1.8"}
        """),
    MethodExample(
      EventAck.self, minimal: #"{"consumer":"crm","cursor":"1.8"}"#,
      full: [#"{"consumer":"crm","cursor":"1.8","request_key":"k"}"#],
      result: #"{"cursor":"1.8","request_id":"r-1"}"#),
    MethodExample(
      EventSubscribe.self, minimal: #"{"consumer":"crm"}"#, full: [#"{"consumer":"crm","from":"oldest"}"#],
      result: #"{"cursor":"1.8"}"#),
    MethodExample(
      AuditList.self, minimal: "{}", full: [#"{"user_id":"\#(id)","limit":1,"after":"7"}"#],
      result: """
        {"items":[{"seq":7,"at":"\(time)","caller":"ops","peer_uid":1000,"action":"user.disable","user_id":"\(id)",\
        "reason":"r","data":{}}],"next":"7"}
        """),
    MethodExample(
      AuditVerify.self, minimal: "{}", full: [#"{"limit":1000,"after":"7.x"}"#],
      result: #"{"ok":false,"checked":7,"first_bad":7,"next":"7.x"}"#),
    MethodExample(
      KeyStatus.self, minimal: "{}", full: [],
      result: """
        {"primary":"k2","keys":[{"id":"k1","state":"decrypt_only","records":3,"registrations":1,"credentials":2,\
        "kept_answers":0}]}
        """),
    MethodExample(
      KeyRewrap.self, minimal: "{}", full: [#"{"limit":1000,"after":"c.x.k1"}"#],
      result: #"{"rewrapped":500,"failed":1,"remaining":10000,"next":"c.x.k1"}"#),
    MethodExample(
      ServerStatus.self, minimal: "{}", full: [],
      result: """
        {"version":"1.0.0","schema_version":7,"database":{"state":"up","server_version":"15.14","round_trip_us":41,\
        "time":"\(time)"},"time":"\(time)","started_at":"\(time)","uptime_s":60,"limits":\(limits),"providers":[{"provider":"apple",\
        "tenant":"ABCDE12345","trust_email":true}],"connections":3,"open_files_max":65536,"embedded":false,"uid":990,\
        "spool":{"entries":2,"bytes":4096,"oldest_at":"\(time)","files_set_aside":0,"files_for_other_databases":0}}
        """),
    MethodExample(
      ServerMetrics.self, minimal: "{}", full: [], result: ##"{"content_type":"text/plain","text":"# EOF\n"}"##),
    MethodExample(
      RPCDiscover.self, minimal: "{}", full: [],
      result: #"{"openrpc":"1.3.2","info":{},"methods":[],"components":{"schemas":{}}}"#),
    MethodExample(SystemPing.self, minimal: "{}", full: [], result: #"{"ok":true}"#),
  ]
}
