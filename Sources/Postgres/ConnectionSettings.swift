import CLibPQ

/// How to reach a database: a libpq connection string, taken apart into one set of options a host.
///
/// The hosts are tried one after the other, each with a time limit of its own, because libpq's non-blocking connect has none
/// and would wait for ever on a first host that does not answer.
public struct ConnectionSettings: Sendable {
  /// Who shares the server's connections with us.
  public enum Pooling: Sendable {
    /// Each connection is a session of its own.
    case session
    /// PgBouncer in transaction mode stands between: nothing may outlive a transaction, so nothing is prepared or set.
    case transaction
  }

  /// Limits that a session sets for itself. With transaction pooling those of the role apply.
  public struct Limits: Sendable {
    /// A statement of ours takes milliseconds; one that takes this long is stuck.
    public var statementMilliseconds = 5000
    /// Waiting longer than this for a lock means that its holder is stuck.
    public var lockMilliseconds = 3000
    /// A transaction left open holds locks that others wait for.
    public var idleInTransactionMilliseconds = 10_000

    public init() {}

    /// For what may rewrite whole tables, and wait for others who do: it gets more time than what serves people.
    public static let ofMaintenance = {
      var limits = Limits()
      limits.statementMilliseconds = 3_600_000
      limits.lockMilliseconds = 60_000
      limits.idleInTransactionMilliseconds = 60_000
      return limits
    }()
  }

  /// One host's options, by libpq keyword. May hold a password: never print it.
  let hosts: [[String: String]]
  public let pooling: Pooling
  public let limits: Limits

  /// - Parameters:
  ///   - conninfo: keywords and values or a URI, with any number of hosts.
  ///   - applicationName: what `pg_stat_activity` shows.
  ///   - needsWrites: whether only a server that takes changes will do. Then those of several hosts that are read-only are
  ///     passed over, unless the string says itself which it wants (`target_session_attrs`).
  public init(
    conninfo: String, applicationName: String, pooling: Pooling = .session, limits: Limits = Limits(),
    needsWrites: Bool = false
  ) throws(PostgresError) {
    var options = try Self.parse(conninfo)
    self.pooling = pooling
    self.limits = limits
    if options["application_name"] == nil { options["application_name"] = applicationName }
    options["client_encoding"] = "UTF8"
    if pooling == .session {
      options["options"] = [options["options"], Self.sessionOptions(limits)].compactMap(\.self).joined(separator: " ")
    }
    options.merge(Self.peerLimits) { given, _ in given }
    let split = Self.split(options)
    if needsWrites, split.count > 1, options[Self.wantedServer] == nil {
      hosts = split.map { $0.merging([Self.wantedServer: "read-write"]) { $1 } }
    } else {
      hosts = Self.ordered(split)
    }
  }

  private static let wantedServer = "target_session_attrs"

  /// By when TCP gives up a peer that has vanished without a word, asked or not: otherwise each connection would wait for a
  /// caller of its own before anybody noticed. Milliseconds for `tcp_user_timeout`, seconds for the others.
  private static let peerLimits = [
    "tcp_user_timeout": "8000", "keepalives_idle": "4", "keepalives_interval": "2", "keepalives_count": "2",
  ]

  /// The name that has to be looked up before a host can be reached; nil where there is an address or a path.
  static func hostName(in options: [String: String]) -> String? {
    guard let host = options["host"], !host.isEmpty, host.first != "/", host.first != "@",
      (options["hostaddr"] ?? "").isEmpty
    else { return nil }
    return host
  }

  /// libpq looks for a standby at every host before it takes any other; for us each host is one of its own.
  private static func ordered(_ hosts: [[String: String]]) -> [[String: String]] {
    guard hosts.first?[wantedServer] == "prefer-standby" else { return hosts }
    return ["standby", "any"].flatMap { wanted in
      hosts.map { $0.merging([wantedServer: wanted]) { $1 } }
    }
  }

  /// Statements are few and hot: a plan made once serves every set of parameters (measured: planning again costs four times
  /// the execution). It may be made while a table is empty, when reading all of it seems to cost nothing, and be used when
  /// the table is not: so an index goes before reading a table, wherever there is one.
  private static func sessionOptions(_ limits: Limits) -> String {
    """
    -c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off \
    -c statement_timeout=\(limits.statementMilliseconds) -c lock_timeout=\(limits.lockMilliseconds) \
    -c idle_in_transaction_session_timeout=\(limits.idleInTransactionMilliseconds)
    """
  }

  private static func parse(_ conninfo: String) throws(PostgresError) -> [String: String] {
    do throws(ConninfoError) {
      return try options(of: conninfo)
    } catch {
      throw .unavailable("the connection string is none: \(error)")
    }
  }

  /// Looks whether a text is a connection string of libpq, without connecting.
  public static func check(_ conninfo: String) throws(ConninfoError) {
    _ = try options(of: conninfo)
  }

  private static func options(of conninfo: String) throws(ConninfoError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let parsed = PQconninfoParse(conninfo, &message) else {
      defer { PQfreemem(message) }
      throw ConninfoError(message.map { String(cString: $0) } ?? "")
    }
    defer { PQconninfoFree(parsed) }
    var options: [String: String] = [:]
    var option = parsed
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return options
  }

  /// libpq pairs the comma-separated lists `host`, `hostaddr` and `port` by position.
  private static func split(_ options: [String: String]) -> [[String: String]] {
    func list(_ keyword: String) -> [String]? {
      options[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
    let lists = ["host": list("host"), "hostaddr": list("hostaddr"), "port": list("port")].compactMapValues(\.self)
    let count = max(lists["host"]?.count ?? 1, lists["hostaddr"]?.count ?? 1)
    return (0..<count).map { position in
      var host = options
      for (keyword, values) in lists {
        host[keyword] = position < values.count ? values[position] : values.last
      }
      return host
    }
  }
}
