import Accounts
import Crypto
import FoundationEssentials
import Glibc
import Spool
import TestSupport
import Testing
import Vault

extension FaultTests {
  /// Signals, configurations and databases that are not there yet.
  @Suite
  struct StartAndStopTests {
    // MARK: Stopping

    @Test func `told to end under load, the daemon answers what it does and does nothing else`() async throws {
      try await TestDatabase.with { database in
        let reader = DatabaseReader(conninfo: database.conninfo(for: .superuser))
        let ledger = Ledger(tag: "ended", people: 40)
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          for _ in 0..<rounds(5) {
            let daemon = try await trial.start()
            try await SignInLoad(ledger: ledger, paths: [trial.app]).run(readsToEnd: true) {
              await ledger.waitForAnswers(.random(in: 1...60))
              try await trial.end(daemon)
            }
            let kept = try await reader.keptKeys()
            try await trial.withDaemon { _ in
              let peer = try trial.connect()
              defer { peer.close() }
              try await ledger.settle(on: peer, kept: kept, refusals: ["shutting_down"], mayLoseAnswers: false)
            }
          }
        }
        try await expectOneUserEach(ledger, reader)
      }
    }

    @Test func `told to end with a client and a database that are stuck, the daemon is gone in ten seconds`()
      async throws
    {
      try await withTrial { trial in
        let daemon = try await trial.start()
        let stuck = try trial.connect()
        defer { stuck.close() }
        stuck.pauseReading()
        for number in 0..<30 { stuck.send(TestPeer.call("rpc.discover", id: "\(number)")) }
        let peer = try trial.connect()
        defer { peer.close() }
        // The second sign-in is one to be written down later.
        for number in 0..<2 {
          peer.send(KeyedCall.signIn(1, by: "apple", number: number, tag: "stuck").line)
          #expect(try await peer.answer().reason == nil)
        }
        let database = try #require(trial.database?.replacing("kith_runtime", with: "postgres"))
        let backends = try await DatabaseReader(conninfo: database).backends()
        #expect(!backends.isEmpty)
        for backend in backends { kill(backend, SIGSTOP) }
        defer { for backend in backends { kill(backend, SIGCONT) } }
        peer.send(KeyedCall.signIn(2, by: "apple", number: 2, tag: "stuck").line)
        let start = ContinuousClock.now
        try await trial.end(daemon)
        #expect(start.duration(to: .now) < .seconds(10))
      }
    }

    @Test func `told to end before its database is there, the daemon ends`() async throws {
      let cluster = try await TestCluster.shared()
      try await DaemonTrial.with(database: cluster.conninfo(for: .runtime, database: "absent")) { trial in
        let daemon = try await trial.launch()
        _ = try await daemon.line(containing: "waiting for the database")
        let start = ContinuousClock.now
        try await trial.end(daemon)
        #expect(start.duration(to: .now) < promised)
        let lines = try await daemon.said().map(\.text)
        #expect(lines.filter { !$0.hasPrefix("kithd: ") } == [])
      }
    }

    @Test func `told to end while its own PostgreSQL starts, the daemon ends, and the next one starts`() async throws {
      try await DaemonTrial.with { trial in
        for text in ["starting PostgreSQL", "ready to accept", "the database answers"] {
          let daemon = try await trial.launch()
          _ = try await daemon.line(containing: text)
          try await trial.end(daemon)
        }
        try await trial.withDaemon { _ in }
      }
    }

    @Test func `a second daemon on the same sockets is refused and the first serves on`() async throws {
      try await withTrial { trial in
        try await trial.withDaemon { _ in
          var other = trial
          other.stateName = "other-state"
          let second = try await other.launch()
          #expect(try await second.exit() == .exited(1))
          _ = try await second.line(containing: "another process is serving on \(trial.app)")
          let third = try await trial.launch()
          #expect(try await third.exit() == .exited(1))
          _ = try await third.line(containing: "another process uses the spool in \(trial.state)/spool")
          #expect(try await trial.call("system.ping").reason == nil)
          #expect(try await trial.call("system.ping", onAdmin: true).reason == nil)
        }
        #expect(!FileManager.default.fileExists(atPath: trial.app))
        #expect(!FileManager.default.fileExists(atPath: trial.admin))
      }
    }

    // MARK: Configurations

    @Test func `at SIGHUP a good configuration holds for open connections and a wrong one does not`() async throws {
      try await withTrial { trial in
        try await trial.withDaemon { daemon in
          let peer = try trial.connect()
          defer { peer.close() }
          #expect(try await peer.call("user.get", #"{"email":"a@example.org"}"#).reason == "not_found")

          try trial.write(
            trial.configuration.replacing(#"methods: ["*"]"#, with: #"methods: ["system.ping"]"#))
          daemon.signal(SIGHUP)
          _ = try await daemon.line(containing: "the configuration was read again")
          #expect(try await peer.call("user.get", #"{"email":"a@example.org"}"#).reason == "method_forbidden")

          try trial.write(trial.configuration.replacing("may_assert", with: "may_asert"))
          daemon.signal(SIGHUP)
          let line = try await daemon.line(containing: "the old configuration stays")
          #expect(line.text.contains("may_asert"))
          #expect(try await peer.call("user.get", #"{"email":"a@example.org"}"#).reason == "method_forbidden")
          #expect(try await peer.call("system.ping").reason == nil)
        }
      }
    }

    @Test func `at SIGHUP the keys that wait for a restart are named, as long as they differ`() async throws {
      try await withTrial { trial in
        let database = try #require(trial.database)
        var trial = trial
        trial.more = #"migrate_database: "\#(database.replacing("kith_runtime", with: "postgres"))","#
        let daemon = try await trial.launch("--migrate")
        try await daemon.ready()
        var changed = trial
        changed.database = database + " connect_timeout=9"
        changed.more = """
          migrate_database: "\(database)", read_database: "\(database)", database_pooler: "transaction",
          """
        try trial.write(changed.configuration.replacing(trial.state, with: trial.state + "2"))
        daemon.signal(SIGHUP)
        let line = try await daemon.line(containing: "the configuration was read again")
        #expect(
          line.text.hasSuffix(
            "restart: database, read_database, migrate_database, database_pooler, state_dir"))
        let said = try await daemon.said().count
        try trial.write(trial.configuration)
        daemon.signal(SIGHUP)
        let second = try await daemon.line(containing: "the configuration was read again", skipping: said)
        #expect(second.text.hasSuffix("the configuration was read again"))
        try await trial.end(daemon)
      }
    }

    @Test func `--check-config opens nothing and says where a wrong configuration is wrong`() async throws {
      try await withTrial { trial in
        let good = try await trial.launch("--check-config")
        #expect(try await good.exit() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: trial.app))
        try trial.write(trial.configuration.replacing("namespaces:", with: "namspaces:"))
        let wrong = try await DaemonProcess.start(["--check-config", "--config", trial.configurationFile])
        #expect(try await wrong.exit() == .exited(1))
        let line = try await wrong.line(containing: "namspaces")
        #expect(line.text.contains("kithd: error:"))
        #expect(line.text.contains("\(trial.configurationFile):4"))
      }
    }

    @Test func `a string that is no connection string is told with its line, at the check and at the start`()
      async throws
    {
      try await DaemonTrial.with(database: "host=/nowhere pasword=hunter2 dbname=x") { trial in
        for argument in ["--check-config", "--migrate"] {
          let daemon = try await trial.launch(argument)
          #expect(try await daemon.exit() == .exited(1))
          let line = try await daemon.line(containing: "kithd: error:")
          #expect(line.text.contains("\(trial.configurationFile):2: database: is no connection string of PostgreSQL"))
          let lines = try await daemon.said().map(\.text)
          #expect(!lines.contains { $0.contains("hunter2") || $0.contains("pasword") || $0.contains("nowhere") })
        }
      }
    }

    // MARK: What it was given

    @Test(arguments: [[0], [1], [2], [0, 1, 2]])
    func `with standard descriptors closed at its start, the daemon opens nothing of its own in their place`(
      _ closed: [Int32]
    ) async throws {
      try await withTrial { trial in
        let path = "\(trial.folder)/notify"
        try await NotifySocket.with(path: path) { manager in
          var trial = trial
          trial.environment = ["NOTIFY_SOCKET": path]
          trial.wrapper = ["/bin/sh", "-c", #"exec "$0" "$@" "# + closed.map { "\($0)>&-" }.joined(separator: " ")]
          let daemon = try await trial.launch()
          await manager.wait(for: "READY=1")
          #expect(try await trial.call("user.get", #"{"email":"a@example.org"}"#).reason == "not_found")
          // Only root may look.
          for descriptor in closed where geteuid() == 0 {
            let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.id)/fd/\(descriptor)")
            #expect(file == "/dev/null")
          }
          try await trial.end(daemon)
        }
      }
    }

    @Test func `a log for systemd's journal is text for people when the daemon is started by hand`() async throws {
      try await withTrial { trial in
        var trial = trial
        trial.logFormat = "journal"
        // Also from a terminal whose own program writes to the journal.
        for environment in [[:], ["JOURNAL_STREAM": "1:1"]] {
          trial.environment = environment
          let daemon = try await trial.start()
          try await trial.end(daemon)
          #expect(try await daemon.said().filter { !$0.text.hasPrefix("kithd: ") }.map(\.text) == [])
        }
        // systemd says where the journal reads by the number of the file.
        trial.wrapper = [
          "/bin/sh", "-c", #"JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) exec "$0" "$@""#,
        ]
        let daemon = try await trial.launch()
        _ = try await daemon.line(containing: "<6>ready")
        try await trial.end(daemon)
      }
    }

    @Test func `beside its own database the daemon makes a keyset, says where, and keeps to it`() async throws {
      try await DaemonTrial.with { trial in
        let file = "\(trial.state)/keyset.json"
        var keysets: [Data] = []
        for _ in 0..<2 {
          try await trial.withDaemon { daemon in
            let line = try await daemon.line(containing: "the keyset is \(file)")
            #expect(line.text.contains("back it up"))
            // Nobody can bring the schema into it while the daemon is down.
            #expect(try await daemon.said().contains { $0.text.contains("applied ") } == keysets.isEmpty)
            keysets.append(try Data(contentsOf: URL(filePath: file)))
            // While it seals with these keys, no others are made in place of a file that is gone.
            rename(file, "\(file).away")
            daemon.signal(SIGHUP)
            _ = try await daemon.line(containing: "the old configuration stays: \(file)")
            #expect(access(file, F_OK) != 0)
            rename("\(file).away", file)
          }
        }
        #expect(keysets[0] == keysets[1])
        var status = stat()
        #expect(stat(file, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        // Another one is another one, and one that cannot be read is not made anew.
        try Data("nonsense".utf8).write(to: URL(filePath: file))
        for arguments in [[], ["--check-config"]] {
          let daemon = try await DaemonProcess.start(
            arguments + ["--config", trial.configurationFile, "--embedded"])
          #expect(try await daemon.exit() == .exited(1))
          _ = try await daemon.line(containing: "\(file): line 1: the keyset is not JSON")
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("nonsense".utf8))
      }
    }

    @Test func `what waits in the spool needs its key like what is in the database`() async throws {
      try await DaemonTrial.with { trial in
        try await trial.withDaemon { _ in }
        do {
          let spool = try Spool(folder: trial.state + "/spool")
          let keyset = try Keyset(first: try TestKeys.keyID("k9"), TestKeys.key(9))
          let sealer = Sealer(
            try KeyRing(keyset, random: .system), databaseID: try #require(spool.databaseID))
          let now = Timestamp(microseconds: 1_796_018_309_153_000)
          let entry = SpoolEntry(
            id: RegistrationID(version7At: now, random: (1, 2)),
            identity: IdentityKey(try #require(Namespace("apple:DEMOTEAM01")), try #require(Subject("001482.mira"))),
            link: "never", caller: try #require(CallerName("web")), receivedAt: now,
            expiresAt: Timestamp(microseconds: .max), claims: SecretBytes(copying: "{}".utf8))
          let file = try spool.write([entry], by: sealer)
          try spool.forceToDisk(file, holding: [entry])
          #expect(try spool.keysInUse(for: sealer.databaseID) == [try TestKeys.keyID("k9")])
        }
        try await expectNoStart(
          of: trial, because: #"the database or the spool still uses key "k9", which the keyset does not have"#)
        // Nor is another keyset made in place of one that is gone.
        let file = "\(trial.state)/keyset.json"
        rename(file, "\(file).away")
        try await expectNoStart(of: trial, because: "\(file): No such file or directory")
        #expect(access(file, F_OK) != 0)
      }
    }

    @Test func `a keyset that is gone is not replaced while anything is sealed with it`() async throws {
      try await DaemonTrial.with { trial in
        let file = "\(trial.state)/keyset.json"
        try await trial.withDaemon { _ in
          var call = SignInCall("apple", "mira", "mira@example.org", verified: true)
          call.more = [#""register":"hold""#]
          let held = try await trial.call("signin.resolve", call.json)
          #expect(held.outcome == "registration_held", "\(held.text)")
        }
        rename(file, "\(file).away")
        for _ in 0..<2 {
          try await expectNoStart(of: trial, because: "the database or the spool still uses key")
          #expect(access(file, F_OK) != 0)
        }
        rename("\(file).away", file)
        try await trial.withDaemon { _ in
          let listed = try await trial.call("registration.list")
          #expect(listed.text.contains("apple"), "\(listed.text)")
        }
      }
    }

    // MARK: The state folder

    @Test(arguments: [true, false])
    func `a state folder that others may write to is refused before anything is in it`(_ isEmbedded: Bool)
      async throws
    {
      try await DaemonTrial.with(database: isEmbedded ? nil : "host=/nowhere") { trial in
        mkdir(trial.state, 0o700)
        chmod(trial.state, 0o777)
        try await expectRefusal(trial, because: "\(trial.state) can be written to by others than its owner (mode 0777)")
      }
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can give a folder away."), arguments: [true, false])
    func `a state folder of somebody else, or behind a link of theirs, is refused`(_ isEmbedded: Bool) async throws {
      try await DaemonTrial.with(database: isEmbedded ? nil : "host=/nowhere") { trial in
        mkdir(trial.state, 0o700)
        chown(trial.state, 1, 1)
        try await expectRefusal(trial, because: "\(trial.state) belongs to uid 1, not to uid 0")
        rmdir(trial.state)
        mkdir("\(trial.folder)/behind", 0o700)
        symlink("\(trial.folder)/behind", trial.state)
        lchown(trial.state, 1, 1)
        try await expectRefusal(trial, because: "\(trial.state) is a link that uid 1 made")
      }
    }

    private func expectNoStart(of trial: DaemonTrial, because why: String) async throws {
      let daemon = try await trial.launch()
      #expect(try await daemon.exit() == .exited(1))
      _ = try await daemon.line(containing: "kithd: error: \(why)")
      _ = try await daemon.line(containing: "kithd: hint: ")
    }

    private func expectRefusal(_ trial: DaemonTrial, because why: String) async throws {
      try await expectNoStart(of: trial, because: "the state folder: \(why)")
      #expect(!FileManager.default.fileExists(atPath: trial.app))
      #expect(try FileManager.default.contentsOfDirectory(atPath: trial.state) == [])
    }

    // MARK: Databases

    @Test func `a daemon that starts before its database serves when it comes`() async throws {
      let cluster = try await TestCluster.shared()
      let name = "late_database"
      try await DaemonTrial.with(database: cluster.conninfo(for: .runtime, database: name)) { trial in
        let daemon = try await trial.launch()
        _ = try await daemon.line(containing: "waiting for the database")
        let early = try await trial.call("user.get", #"{"email":"a@example.org"}"#)
        #expect(early.reason == "database_unavailable")
        #expect(early.error?["data"]?["retryable"]?.bool == true)
        #expect(try await trial.call("system.ping").reason == nil)
        try await cluster.script("create database \(name) template kith")
        let start = ContinuousClock.now
        // It may be ready already: it serves without a database what it can.
        _ = try await daemon.line(containing: "the database answers")
        var answer = early
        while answer.reason == "database_unavailable", start.duration(to: .now) < promised {
          answer = try await trial.call("user.get", #"{"email":"a@example.org"}"#)
        }
        #expect(answer.reason == "not_found")
        try await daemon.ready()
        try await trial.end(daemon)
        try await cluster.script("drop database \(name) with (force)")
      }
    }

    @Test func `a database without a schema is refused, and --migrate makes it`() async throws {
      try await TestDatabase.with(isMigrated: false) { database in
        try await DaemonTrial.with(database: database.conninfo()) { trial in
          let daemon = try await trial.launch()
          #expect(try await daemon.exit() == .exited(1))
          _ = try await daemon.line(containing: "kith migrate up")

          var migrating = trial
          migrating.more = #"migrate_database: "\#(database.conninfo(for: .superuser))","#
          let second = try await migrating.launch("--migrate")
          try await second.ready()
          #expect(try await trial.call("user.get", #"{"email":"a@example.org"}"#).reason == "not_found")
          try await trial.end(second)
        }
      }
    }

    @Test func `a database of a later version is refused with what to do`() async throws {
      try await withTrial { trial in
        let owner = try #require(trial.database?.replacing("kith_runtime", with: "kith_owner"))
        try await DatabaseReader(conninfo: owner).script(
          "insert into kith.migrations (version, name, checksum) values (9999, 'later', repeat('0', 64))")
        let daemon = try await trial.launch()
        #expect(try await daemon.exit() == .exited(1))
        _ = try await daemon.line(containing: "9999")
        _ = try await daemon.line(containing: "hint: ")
        #expect(try await !daemon.said().contains { $0.text.contains("kithd: ready") })
      }
    }

    // MARK: The service manager

    @Test func `the service manager is told of every state`() async throws {
      try await withTrial { trial in
        let path = "\(trial.folder)/notify"
        try await NotifySocket.with(path: path) { manager in
          var trial = trial
          trial.environment = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "100000"]
          try await trial.withDaemon { daemon in
            await manager.wait(for: "READY=1")
            await manager.wait(for: "WATCHDOG=1", count: 3)
            daemon.signal(SIGHUP)
            await manager.wait(for: "RELOADING=1")
            await manager.wait(for: "READY=1", count: 2)
          }
          await manager.wait(for: "STOPPING=1")
          let states = await manager.told.filter { !$0.hasPrefix("WATCHDOG") }
          #expect(states == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
        }
      }
    }

    private func withTrial(_ body: (DaemonTrial) async throws -> Void) async throws {
      try await TestDatabase.with { database in
        try await DaemonTrial.with(database: database.conninfo(), body)
      }
    }
  }
}
