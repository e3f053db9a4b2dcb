import Accounts
import Configuration
import Foundation
import TestSupport
import Testing
import Vault

@testable import struct Configuration.ConfigurationSource

@Suite struct ConfigurationTests {
  private let credentials: TemporaryFolder

  init() throws {
    credentials = try TemporaryFolder()
    try TestKeys.write(TestKeys.keyset(), to: credentials.path + "/keyset")
    try credentials.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "apple.p8")
    try credentials.write("linkedin-secret\n", to: "linkedin")
    try credentials.write("naver-secret", to: "naver")
  }

  private func sample() throws -> Configuration {
    try ConfigurationSource(file: ConfigurationCase.folder.appending(path: "sample.json5").path)
      .load(in: .invented(environment: ["CREDENTIALS_DIRECTORY": credentials.path]))
  }

  private func minimal(
    _ members: String = "", source: ConfigurationSource = ConfigurationSource(),
    in surroundings: Surroundings = .invented()
  ) throws -> Configuration {
    let text = """
      { \(source.isEmbedded ? "" : "database: 'dbname=kith', keyset: 'file:\(credentials.path)/keyset',") namespaces: [{ provider: "password", tenant: "default" }],
        callers: [{ name: "web", uid: 33, methods: ["*"] }], \(members) }
      """
    return try source.parse(Array(text.utf8), named: "kith.json5", in: surroundings)
  }

  @Test func `the sample of the documentation loads`() throws {
    let configuration = try sample()
    #expect(configuration.database == .connection(Secret("host=/run/postgresql dbname=kith user=kith_runtime")))
    #expect(configuration.readDatabase == Secret("host=standby.example.net dbname=kith"))
    #expect(try configuration.keyset == TestKeys.keyset())
    #expect(
      configuration.sockets
        == SocketSettings(app: "/run/kith/app.sock", admin: "/run/kith/admin.sock", mode: 0o660, group: 990))
    #expect(
      configuration.namespaces.map(\.namespace.description)
        == ["apple:ABCDE12345", "linkedin:77linkedin", "naver:naverclient", "password:default"])
    #expect(configuration.namespaces.map(\.settings.trustsEmail) == [true, true, true, false])
    #expect(configuration.namespaces[2].endpoints == [.token: "http://127.0.0.1:8080/token"])
    #expect(configuration.namespaces[2].client == .application(secret: Secret("naver-secret")))
    #expect(configuration.defaults == SignInDefaults(holdDays: 0.5))
    #expect(configuration.limits == TransportLimits(frameBytesMax: 2 << 20))
    #expect(configuration.log == LogSettings(level: .info, format: .json))
    #expect(configuration.eventLoopThreads == 2)
  }

  @Test func `a key keeps its lines`() throws {
    guard case .apple(let clientIDs, let signingKey?) = try sample().namespaces[0].client else {
      Issue.record("no signing key")
      return
    }
    #expect(clientIDs == ["net.example.app", "net.example.web"])
    #expect(signingKey.id == "KEY0000001")
    #expect(signingKey.privateKey.text == "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")
  }

  @Test func `no secret is printed with the configuration`() throws {
    var printed = ""
    dump(try sample(), to: &printed)
    printed += "\(try sample())"
    for secret in ["hunter2", "kith_runtime", "linkedin-secret", "naver-secret", "AAAA", "version"] {
      #expect(!printed.contains(secret))
    }
    #expect(printed.contains("<redacted>"))
  }

  @Test func `what is not said has the documented value`() throws {
    let configuration = try minimal()
    #expect(
      configuration.defaults
        == SignInDefaults(register: .auto, link: .verifiedEmail, holdDays: 30, challengeMinutes: 15))
    #expect(
      configuration.limits
        == TransportLimits(
          frameBytesMax: 1_048_576, batchCallsMax: 1000, nestingMax: 64, callsInFlightMax: 256,
          answerBytesQueuedMax: 4_194_304, frameSecondsMax: 10, connectionsPerUIDMax: 4096))
    #expect(configuration.databasePooler == .session)
    #expect(configuration.sockets.mode == 0o660)
    #expect(configuration.sockets.group == nil)
    #expect(configuration.migrateDatabase == nil)
  }

  @Test func `the sockets stand where their daemon may make them`() throws {
    let runtime = ["XDG_RUNTIME_DIR": "/run/user/1000"]
    #expect(try minimal(in: .invented(environment: runtime)).sockets.app == "/run/user/1000/kith/app.sock")
    #expect(try minimal(in: .invented(environment: runtime, uid: 0)).sockets.app == "/run/kith/app.sock")
    #expect(try minimal(in: .invented()).sockets.admin == "/run/kith/admin.sock")
  }

  @Test func `the state folder is the one named last of command line, file, systemd and user`() throws {
    let environment = ["STATE_DIRECTORY": "/var/lib/private/kith:/other", "HOME": "/home/mira"]
    let given = ConfigurationSource(stateFolder: "/given")
    #expect(try minimal("state_dir: '/said'", source: given).stateFolder == "/given")
    #expect(try minimal("state_dir: '/said'").stateFolder == "/said")
    #expect(try minimal(in: .invented(environment: environment)).stateFolder == "/var/lib/private/kith")
    #expect(
      try minimal(in: .invented(environment: ["HOME": "/home/mira"])).stateFolder == "/home/mira/.local/state/kith")
    #expect(try minimal(in: .invented(environment: ["HOME": "/root"], uid: 0)).stateFolder == "/var/lib/kith")
  }

  @Test func `the log takes the form of where it goes`() throws {
    #expect(try minimal().log.format == .text)
    #expect(try minimal(in: .invented(environment: ["JOURNAL_STREAM": "8:1"])).log.format == .journal)
  }

  @Test func `exactly what is heeded at a start only is said to wait for one`() throws {
    let otherKeyset = credentials.path + "/other-keyset"
    try TestKeys.write(try Keyset(first: TestKeys.keyID("k2"), TestKeys.key(2)), to: otherKeyset)
    let changes: [(key: String, values: [String], waits: Bool)] = [
      ("database", ["'dbname=other'"], true),
      ("read_database", ["'dbname=kith'"], true),
      ("migrate_database", ["'dbname=kith'"], true),
      ("database_pooler", ["'transaction'"], true),
      ("state_dir", ["'/other'"], true),
      (
        "sockets",
        ["{ app: '/other/app' }", "{ admin: '/other/admin' }", "{ mode: '0600' }", "{ group: 'kith-admin' }"], true
      ),
      ("threads", ["1"], true),
      ("keyset", ["'file:\(otherKeyset)'"], false),
      ("namespaces", ["[{ provider: 'password', tenant: 'other' }]"], false),
      ("defaults", ["{ register: 'never' }"], false),
      ("callers", ["[{ name: 'web', uid: 34, methods: ['*'] }]"], false),
      ("limits", ["{ nesting: 65 }"], false),
      ("log", ["{ level: 'debug' }", "{ format: 'json' }"], false),
    ]
    let start = try changed([:])
    #expect(changes.count == Mirror(reflecting: start).children.count, "a key is missing here")
    for (key, values, waits) in changes {
      for value in values {
        let new = try changed([key: value])
        #expect(new != start, "\(key): \(value)")
        #expect(new.keysThatWaitForStart(since: start, migrates: true) == (waits ? [key] : []), "\(key): \(value)")
      }
    }
    let new = try changed(Dictionary(uniqueKeysWithValues: changes.map { ($0.key, $0.values[0]) }))
    let waiting = changes.filter(\.waits).map(\.key)
    #expect(new.keysThatWaitForStart(since: start, migrates: true) == waiting)
    // Who does not migrate has no use for that connection.
    #expect(new.keysThatWaitForStart(since: start, migrates: false) == waiting.filter { $0 != "migrate_database" })
  }

  /// The least configuration, with some of its members replaced and others added.
  private func changed(_ changes: [String: String]) throws -> Configuration {
    let least = [
      "database": "'dbname=kith'", "keyset": "'file:\(credentials.path)/keyset'",
      "namespaces": "[{ provider: 'password', tenant: 'default' }]",
      "callers": "[{ name: 'web', uid: 33, methods: ['*'] }]",
    ]
    let members = least.merging(changes) { $1 }.map { "\($0): \($1)" }.joined(separator: ", ")
    let surroundings = Surroundings.invented(environment: ["CREDENTIALS_DIRECTORY": credentials.path])
    return try ConfigurationSource().parse(Array("{ \(members) }".utf8), named: "kith.json5", in: surroundings)
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (64, 32)])
  func `half the processors run event loops`(_ processors: Int, _ threads: Int) throws {
    #expect(try minimal(in: .invented(processors: processors)).eventLoopThreads == threads)
  }

  @Test func `never more event loops than processors`() throws {
    #expect(try minimal("threads: 64").eventLoopThreads == 4)
    #expect(try minimal("threads: 3").eventLoopThreads == 3)
  }

  @Test func `an embedded database needs neither connection string nor keyset`() throws {
    let embedded = try minimal(source: ConfigurationSource(isEmbedded: true))
    #expect(embedded.database == .embedded)
    #expect(embedded.keyset == nil)
    let file = "keyset: 'file:\(credentials.path)/keyset'"
    #expect(try minimal(file, source: ConfigurationSource(isEmbedded: true)).keyset == TestKeys.keyset())
  }

  @Test func `what is wrong with a keyset is told with its key and line, and never what is in it`() throws {
    let key = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I="
    for (text, complaint) in [
      (
        #"{"version":1,"keys":[\n{"id":"k1","key":"\#(key)","state":"decrypt_only"}]}"#, "the keyset has no primary key"
      ),
      (#"{"version":1,"keys":[\n{"id":"k1","key":"\#(key)=","state":"primary"}]}"#, #"line 2: key "k1" is not base64"#),
      (#"{"version":1,"keys":[\n{"id":"k1","key":"AAAA","state":"primary"}]}"#, #"line 2: key "k1" has not 32 bytes"#),
      (key, "line 1: the keyset is not JSON"),
    ] {
      try credentials.write(text.replacing("\\n", with: "\n"), to: "keyset")
      let error = #expect(throws: ConfigurationError.self) { try minimal() }
      #expect(
        error?.description
          == "kith.json5:1: keyset: cannot be used: \(complaint) (restore it from your backup)")
    }
  }

  @Test func `with --embedded the sockets are in the state folder, unless the file names them`() throws {
    let source = ConfigurationSource(isEmbedded: true, stateFolder: "/srv/try")
    #expect(try minimal(source: source).sockets == SocketSettings(folder: "/srv/try"))
    #expect(
      try minimal("sockets: { mode: '0600' }", source: source).sockets
        == SocketSettings(folder: "/srv/try", mode: 0o600))
    #expect(
      try minimal("sockets: { app: '/run/own/app.sock' }", source: source).sockets
        == SocketSettings(app: "/run/own/app.sock", admin: "/srv/try/admin.sock"))
    let own = ConfigurationSource(isEmbedded: true)
    #expect(try minimal("state_dir: '/srv/own'", source: own).sockets == SocketSettings(folder: "/srv/own"))
    #expect(try minimal("state_dir: '/srv/own'").sockets.admin == "/run/kith/admin.sock")
    let long = "state_dir: '/" + String(repeating: "x", count: 100) + "'"
    #expect(throws: ConfigurationError.self) { try minimal(long, source: own) }
    #expect(throws: Never.self) {
      try minimal(long + ", sockets: { app: '/run/a.sock', admin: '/run/b.sock' }", source: own)
    }
  }

  @Test func `the administrators' socket is found where the daemon of the file has it`() throws {
    func socket(_ text: String) throws -> String? {
      try credentials.write(text, to: "kith.json5")
      return try ConfigurationSource(file: credentials.path + "/kith.json5").adminSocket(in: .invented())
    }
    #expect(try socket("{ database: 'dbname=kith' }") == nil)
    #expect(try socket("{ database: 'dbname=kith', sockets: { admin: '/run/b.sock' } }") == "/run/b.sock")
    #expect(try socket("{ state_dir: '/srv/own' }") == "/srv/own/admin.sock")
    #expect(try socket("{ state_dir: '/srv/own', sockets: { admin: '/run/b.sock' } }") == "/run/b.sock")
  }

  @Test func `without a file --embedded is for trying out`() throws {
    let source = ConfigurationSource(isEmbedded: true, stateFolder: "/tmp/try")
    let configuration = try source.load(in: .invented())
    #expect(source.isForTryingOut)
    #expect(configuration.database == .embedded)
    #expect(configuration.sockets == SocketSettings(app: "/tmp/try/app.sock", admin: "/tmp/try/admin.sock"))
    #expect(
      configuration.namespaces.map(\.namespace.description)
        == ["apple:DEMOTEAM01", "linkedin:demo", "naver:demo", "password:default"])
    for socket in SocketRole.allCases {
      let caller = try #require(configuration.callers.match(uid: 1000, gids: [], socket: socket))
      #expect(caller.mayAssert && caller.mayAuthenticate && caller.maySeeOwners)
      #expect(caller.allows(method: "user.erase"))
      #expect(configuration.namespaces.allSatisfy { caller.allows(namespace: $0.namespace) })
      #expect(configuration.callers.match(uid: 0, gids: [0], socket: socket) == nil)
    }
  }

  @Test func `a state folder too deep for a socket is refused`() {
    let source = ConfigurationSource(isEmbedded: true, stateFolder: "/" + String(repeating: "x", count: 100))
    #expect(throws: ConfigurationError.self) { try source.load(in: .invented()) }
  }
}
