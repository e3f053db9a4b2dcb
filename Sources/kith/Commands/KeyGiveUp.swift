import Accounts
import Configuration
import Glibc
import JSON
import Migrations
import Operations
import Schema
import Spool
import Store
import Terminal
import Vault

extension Command where Context == CommandContext {
  private static let stateFolder = OptionDeclaration(
    "state-dir", .file("DIR"), "Where the daemon keeps its spool (default: as configured)")

  static let keyGiveUp: Command = Command(
    "give-up", "Remove, for good, what is sealed by keys that are lost",
    details: """
      For when a keyset is lost and no backup has it: kithd does not start as long as
      something is sealed by a key that it lacks. Counts what is sealed by keys that
      FILE does not have, asks, and removes it: the details of held registrations,
      credentials, kept answers, and files of the spool. Users and identities are not
      sealed and stay, and so does whatever the keys of FILE seal.
      Stop every kithd first. Goes straight to PostgreSQL: to --database, else to
      migrate_database or database of the configuration. Where several daemons serve
      the database, run it for the state folder of each.
      """,
    options: [.keyset, stateFolder, .reason]
  ) { context throws(CommandFailure) in
    let reason = try context.reason()
    let keyset = try KeysetArgument(context).read()
    let conninfo = try context.databaseConninfo()
    let loss = KeyLoss(
      keyset: keyset, spool: try KeyLoss.spool(in: context.arguments.value(of: stateFolder) ?? context.stateFolder),
      context: context)
    let loop = try context.startLoop(named: "kith-give-up")
    defer { loop.stop() }
    let keys = try await KeyLoss.translating { () throws(GiveUpKeys.Problem) in
      try await GiveUpKeys.open(conninfo: conninfo, keyset: keyset, schemaVersion: Schema.version, on: loop)
    }
    do throws(CommandFailure) {
      try await loss.giveUp(keys, reason)
      await keys.close()
    } catch {
      await keys.close()
      throw error
    }
  }
}

extension CommandContext {
  /// The daemon's state folder, as configured or as the unit has it.
  fileprivate var stateFolder: String {
    var surroundings = Surroundings.ofThisProcess()
    if geteuid() == 0 { surroundings.environment["STATE_DIRECTORY"] = "/var/lib/kith" }
    let configured = try? ConfigurationSource(file: arguments.value(of: .config)).stateFolder(in: surroundings)
    return configured ?? surroundings.stateFolder
  }
}

/// Looks for what is lost with keys, asks, and removes it.
private struct KeyLoss {
  let keyset: Keyset
  /// Nil where there is none.
  let spool: Spool?
  let context: CommandContext

  func giveUp(_ keys: GiveUpKeys, _ reason: ChangeReason) async throws(CommandFailure) {
    let found = try await Self.translating { () throws(GiveUpKeys.Problem) in try await keys.look() }
    let files = try Self.translating { () throws(SpoolError) in
      try spool?.loss(for: found.databaseID, knowing: Set(keyset.keys.map(\.id))) ?? SpoolLoss()
    }
    guard !found.keys.isEmpty || !files.files.isEmpty else { return tell(found, files) }
    if !context.wantsJSON {
      let names = lostKeys(found, files).map { $0.string }
      context.console.writeOutput(
        lines: context.lines(
          "The keyset does not have \(names.count == 1 ? "key" : "keys") \(names.joined(separator: ", ")).",
          "What cannot be opened without: \(words(found, files)).", "Users and identities stay."))
    }
    try context.confirmation.ask("Give all of that up, for good?")
    let gone = try await Self.translating { () throws(GiveUpKeys.Problem) in
      try await keys.run(found, peerUID: getuid(), reason: reason, spooledKeys: files.keys)
    }
    // The database is first: whoever is ended in between begins again, and finds the files.
    try Self.translating { () throws(SpoolError) in try spool?.giveUp(files) }
    tell(gone, files)
  }

  // MARK: The spool

  /// - Parameter stateFolder: the one it is in.
  static func spool(in stateFolder: String) throws(CommandFailure) -> Spool? {
    let folder = stateFolder + "/spool"
    var status = stat()
    guard stat(folder, &status) == 0 || errno != ENOENT else { return nil }
    return try translating { () throws(SpoolError) in
      // Root may look into that of a daemon that is not root.
      try Spool(folder: folder, owner: geteuid() == 0 ? status.st_uid : geteuid())
    }
  }

  // MARK: What is told

  private func tell(_ gone: GiveUpKeys.Loss, _ files: SpoolLoss) {
    if context.wantsJSON { return context.write(json: json(gone, files)) }
    guard !gone.keys.isEmpty || !files.files.isEmpty else {
      return context.console.writeOutput(
        lines: ["nothing was to be given up: the keyset has every key that seals something"] + unseen)
    }
    context.console.writeOutput(
      lines: context.lines("given up: \(words(gone, files))") + unseen + ["Now start kithd again."])
  }

  /// Somebody who is ended by a typing error in a folder's name would believe that nothing is there.
  private var unseen: [String] {
    spool == nil ? ["No spool was found; name a daemon's state folder with --state-dir."] : []
  }

  private func lostKeys(_ loss: GiveUpKeys.Loss, _ files: SpoolLoss) -> [ExactText] {
    Set(loss.keys).union(files.keys.map { $0.text }).sorted()
  }

  private func words(_ loss: GiveUpKeys.Loss, _ files: SpoolLoss) -> String {
    let parts = [
      (loss.records[.registration] ?? 0, "held registration", "held registrations"),
      (loss.records[.credential] ?? 0, "credential", "credentials"),
      (loss.records[.keptAnswer] ?? 0, "kept answer", "kept answers"),
      (files.entries, "sign-in that waits in the spool", "sign-ins that wait in the spool"),
    ].filter { $0.0 != 0 }.map { $0.counted($1, $2) }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  private func json(_ loss: GiveUpKeys.Loss, _ files: SpoolLoss) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("keys")
    writer.beginArray()
    for key in lostKeys(loss, files) { writer.string(key.string) }
    writer.endArray()
    let numbers: [(StaticString, Int?)] = [
      ("registrations", loss.records[.registration]), ("credentials", loss.records[.credential]),
      ("kept_answers", loss.records[.keptAnswer]), ("spool_files", files.files.count),
      ("spool_entries", files.entries),
    ]
    for (name, number) in numbers {
      writer.member(name)
      writer.integer(number ?? 0)
    }
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  // MARK: Failures

  static func translating<Value>(
    _ body: () async throws(GiveUpKeys.Problem) -> Value
  ) async throws(CommandFailure) -> Value {
    do throws(GiveUpKeys.Problem) {
      return try await body()
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func translating<Value>(_ body: () throws(SpoolError) -> Value) throws(CommandFailure) -> Value {
    do throws(SpoolError) {
      return try body()
    } catch {
      if case .inUse = error { throw CommandFailure(.failed, "\(error)", hint: stop) }
      throw CommandFailure(.failed, "\(error)", hint: error.hint)
    }
  }

  fileprivate static let stop = "stop every kithd first: systemctl stop kithd-app.socket kithd-admin.socket kithd"
}

extension CommandFailure {
  fileprivate init(_ problem: GiveUpKeys.Problem) {
    switch problem {
    case .schemaMismatch(let found):
      self.init(
        .failed, "the database's schema has version \(found ?? 0), and this kith needs \(Schema.version)",
        hint: "see kith migrate status")
    case .served: self.init(.failed, "a kithd still serves the database", hint: KeyLoss.stop)
    case .changedKey(let key):
      self.init(
        .failed, "key \(key) of the keyset is another than the database knows by this id",
        hint: "make the new keyset without --id, so that its key has a name that no other key had")
    case .keyset(let error): self.init(.failed, "\(error)")
    case .database(let error): self.init(MigrationError.database(error))
    }
  }
}
