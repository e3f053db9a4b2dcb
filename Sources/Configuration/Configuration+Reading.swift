import Accounts
import Vault

extension Configuration {
  private static let keys = [
    "database", "read_database", "migrate_database", "database_pooler", "state_dir", "keyset", "sockets", "namespaces",
    "defaults", "callers", "limits", "log", "threads",
  ]

  /// More loops than any host has processors are a slip of the pen.
  private static let threadsMax = 1024

  /// Nil only when something was reported.
  init?(reading reader: ValueReader, isEmbedded: Bool, stateFolder: String?) {
    guard let members = reader.members(Self.keys) else { return nil }
    let surroundings = reader.surroundings
    let database = DatabaseSource(reading: members, isEmbedded: isEmbedded)
    let readDatabase = members["read_database"]?.connectionString()
    let migrateDatabase = members["migrate_database"]?.connectionString()
    let pooler = members["database_pooler"]?.choice(DatabasePooler.self)
    let configuredStateFolder = members["state_dir"]?.absolutePath()
    let keyset = Keyset(reading: members, isEmbedded: isEmbedded)
    let stateFolder = stateFolder ?? configuredStateFolder ?? surroundings.stateFolder
    // A daemon of one's own has everything in one folder, unless the file says otherwise.
    let socketFolder = isEmbedded ? stateFolder : surroundings.socketFolder
    let sockets: SocketSettings? =
      members["sockets"].map { SocketSettings(reading: $0, folder: socketFolder) }
      ?? SocketSettings(folder: socketFolder)
    if let sockets, !sockets.fit {
      reader.report(
        "the sockets would be \(sockets.app) and \(sockets.admin), which have more than "
          + "\(SocketSettings.pathBytesMax) bytes", hint: "name them in sockets, or choose a shorter state folder")
    }
    let namespaces = members.required("namespaces")?.namespaces() ?? []
    let defaults = members["defaults"].map(SignInDefaults.init(reading:)) ?? SignInDefaults()
    let callers = members.required("callers")?.callers(knowing: namespaces.map(\.namespace))
    let limits = members["limits"].map(TransportLimits.init(reading:)) ?? TransportLimits()
    let log = members["log"].map(LogSettings.init(reading:)) ?? LogSettings(in: surroundings)
    let threads =
      members["threads"]?.wholeNumber(in: 1...Self.threadsMax) ?? Self.defaultEventLoopThreads(in: surroundings)
    guard let database, let sockets, let defaults, let callers, let limits, let log else { return nil }
    self.init(
      database: database, readDatabase: readDatabase, migrateDatabase: migrateDatabase,
      databasePooler: pooler ?? .session,
      stateFolder: stateFolder, keyset: keyset, sockets: sockets, namespaces: namespaces, defaults: defaults,
      callers: callers, limits: limits, log: log,
      eventLoopThreads: min(threads, max(1, surroundings.processorCount)))
  }
}

extension DatabaseSource {
  fileprivate init?(reading members: MemberReader, isEmbedded: Bool) {
    if isEmbedded {
      members["database"]?.report("must be left out with --embedded, which brings its own database")
      self = .embedded
      return
    }
    let hint = "a libpq connection string; or start with --embedded"
    guard let connection = members.required("database", hint: hint)?.connectionString() else { return nil }
    self = .connection(connection)
  }
}

extension Keyset {
  /// Nil when something was reported, or when it is the daemon's to make.
  fileprivate init?(reading members: MemberReader, isEmbedded: Bool) {
    let hint = "make one with: kith key add --keyset FILE"
    guard let reader = isEmbedded ? members["keyset"] : members.required("keyset", hint: hint) else { return nil }
    // A keyset in plain sight would be as good as none.
    if case .text(let text) = reader.value, case .inline = TextReference(text) {
      reader.report("must be kept elsewhere", hint: "as \"credential:keyset\" or \"file:/etc/kith/keyset.json\"")
      return nil
    }
    guard let text = reader.secret() else { return nil }
    do throws(KeysetError) {
      try self.init(reading: text.bytes)
    } catch {
      reader.report("cannot be used: \(error)", hint: "restore it from your backup")
      return nil
    }
  }
}

extension ValueReader {

  fileprivate func namespaces() -> [NamespaceConfiguration]? {
    guard let items = items() else { return nil }
    if items.isEmpty { report("names no namespace, so nobody could sign in") }
    var known: [Namespace: Int] = [:]
    return items.compactMap { item in
      guard let namespace = NamespaceConfiguration(reading: item) else { return nil }
      let line = findings.line(of: item.path)
      if let first = known.updateValue(line, forKey: namespace.namespace) {
        item.report("\(namespace.namespace) stands twice; it stood on line \(first)")
      }
      return namespace
    }
  }

  fileprivate func callers(knowing namespaces: [Namespace]) -> CallerTable? {
    guard let items = items() else { return nil }
    if items.isEmpty { report("names no caller, so every call would be refused") }
    var entries: [(entry: CallerEntry, line: Int)] = []
    for item in items {
      guard let entry = CallerEntry(reading: item) else { continue }
      item.reportUnknownNamespaces(of: entry.caller, knowing: namespaces)
      // Two entries for one peer are fine as long as the first leaves the second a socket.
      if let first = entries.first(where: { $0.entry.hides(entry) }) {
        item.report("never comes into play, because the caller on line \(first.line) fits first")
      }
      entries.append((entry, findings.line(of: item.path)))
    }
    return CallerTable(entries.map(\.entry))
  }

  private func reportUnknownNamespaces(of caller: Caller, knowing known: [Namespace]) {
    for case .namespace(let namespace) in caller.namespaces where !known.contains(namespace) {
      findings.report("no namespace \"\(namespace)\" is configured", at: path.appending(key: "namespaces"))
    }
  }
}

extension CallerEntry {
  fileprivate func hides(_ later: CallerEntry) -> Bool {
    peer == later.peer && caller.sockets.isSuperset(of: later.caller.sockets)
  }
}
