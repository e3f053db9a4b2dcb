import Foundation
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// What people and apps told in confidence leaves no trace outside of what is sealed.
  @Suite(.timeLimit(.minutes(10)))
  struct SecretTraceTests {
    private static let people = 240
    private static let credentials = 200
    private static let hold = #""register":"hold""#

    /// Makes everybody's calls, and gives the answers that refuse, and the numbers of secrets told.
    ///
    /// - Parameter addresses: in those of the people.
    private func tell(
      _ traces: SecretTraces, _ addresses: SecretTraces, on peer: TestPeer
    ) async throws -> (told: Int, refusals: [WireAnswer]) {
      var told = 0
      func secret() -> String {
        told += 1
        return traces.secret(told)
      }
      var refusals: [WireAnswer] = []
      func refused(_ method: String, _ params: String) async throws {
        let answer = try await peer.call(method, params)
        #expect(answer.error != nil, "\(method): \(answer.text)")
        refusals.append(answer)
      }
      _ = try await peer.signIn("apple", "owner", "owner@example.org", verified: true)
      for person in 0..<Self.people {
        let name = #""name":{"family":"\#(secret())"}"#
        let more = [name, #""details":{"a":"\#(secret())"}"#, #""request_key":"k\#(person)""#]
        // A sixth have to prove who they are; their address is somebody's.
        let isOwners = person % 6 == 5
        var call = SignInCall(
          isOwners ? "naver" : "apple", "plain-\(person)",
          isOwners ? "owner@example.org" : "\(addresses.secret(person))@example.org",
          verified: isOwners ? nil : true)
        // Some complete with a name of the app's, and then the address and the details would be in clear.
        if person % 6 == 4 { (call.email, call.more) = (nil, [name, more[2]]) } else { call.more = more }
        if !isOwners { call.more.append(Self.hold) }
        let first = try await peer.call("signin.resolve", call.json)
        #expect(first.word == (isOwners ? "link_required" : "registration_held"), "\(first.text)")
        #expect(try await peer.call("signin.resolve", call.json).text.contains(traces.mark) == !isOwners)
        guard let id = first.result?["registration"]?["id"]?.string else { continue }
        let one = #""registration_id":"\#(id)""#
        switch person % 6 {
        case 0:
          let again = SignInCall("apple", call.subject, nil, Self.hold, #""nickname":"\#(secret())""#)
          #expect(try await peer.call("signin.resolve", again.json).result?["resumed"]?.bool == true)
        case 1: #expect(try await peer.call("registration.fail", #"{\#(one),"reason":"no"}"#).result != nil)
        case 2: #expect(try await peer.call("registration.get", "{\(one)}").text.contains(traces.mark))
        case 3: #expect(try await peer.call("registration.discard", "{\(one)}").result != nil)
        default:
          let completed = try await peer.call(
            "registration.complete", #"{\#(one),"profile":{"name":{"full":"N"}},"request_key":"c\#(person)"}"#)
          #expect(completed.outcome == "registered", "\(completed.text)")
        }
        // The key belongs to other parameters.
        if person % 10 == 0 {
          try await refused(
            "signin.resolve",
            SignInCall("apple", call.subject, "\(addresses.secret(person))@e.org", call.more[0], more[2]).json)
        }
      }
      #expect(try await peer.call("registration.list", #"{"limit":1000}"#).text.contains(traces.mark))
      for number in 0..<Self.credentials {
        let place = #""access_group":"g\#(number % 3)","account":"a\#(number)","service":"s""#
        func base64() -> String { Data((secret() + "#").utf8).base64EncodedString() }
        let add = #"{\#(place),"secret":"\#(base64())","label":"plain","request_key":"a\#(number)"}"#
        #expect(try await peer.call("credential.add", add).result != nil)
        #expect(try await peer.call("credential.add", add).result != nil)
        try await refused("credential.add", #"{\#(place),"secret":"\#(base64())"}"#)
        let method = number % 2 == 0 ? "credential.put" : "credential.update"
        #expect(try await peer.call(method, #"{\#(place),"secret":"\#(base64())"}"#).result != nil)
        #expect(try await peer.call("credential.update", #"{\#(place),"label":"other"}"#).result != nil)
        #expect(try await peer.call("credential.get", "{\(place)}").result?["credential"]?["secret"] != nil)
        #expect(try await peer.call("credential.history", "{\(place)}").result != nil)
        if number % 3 == 0 { #expect(try await peer.call("credential.delete", "{\(place)}").result != nil) }
      }
      #expect(!(try await peer.call("credential.list", #"{"limit":1000}"#).text.contains(traces.mark)))
      return (told, try await refusals + tellBadly(secret, on: peer))
    }

    /// Secrets in calls that are wrong.
    private func tellBadly(_ secret: () -> String, on peer: TestPeer) async throws -> [WireAnswer] {
      var answers: [WireAnswer] = []
      let place = #""access_group":"g","account":"a","service":"s""#
      for _ in 0..<5 {
        for (method, params) in [
          ("signin.resolve", #"{"provider":"apple","subject":"p","email":"\#(secret()) @example.org"}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","email":["\#(secret())@example.org"]}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","name":"\#(secret())"}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","nickname":"\#(secret())\u0001"}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","email_verified":"\#(secret())"}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","register":"\#(secret())"}"#),
          ("signin.resolve", #"{"provider":"\#(secret())","subject":"p"}"#),
          ("signin.resolve", #"{"provider":"apple","tenant":"\#(secret())","subject":"p"}"#),
          ("signin.resolve", #"{"provider":"apple","subject":"p","locale":"\#(secret())\#(secret())"}"#),
          ("registration.get", #"{"registration_id":"\#(secret())"}"#),
          ("registration.list", #"{"email":"\#(secret())"}"#),
          ("registration.list", #"{"after":"\#(secret())"}"#),
          ("registration.list", #"{"limit":"\#(secret())"}"#),
          ("registration.complete", #"{"registration_id":"x","profile":"\#(secret())"}"#),
          ("credential.add", #"{\#(place),"secret":"\#(secret())"}"#),
          ("credential.add", #"{\#(place),"secret":{"a":"\#(secret())"}}"#),
          ("credential.add", #"{\#(place),"secret":"AA==","attributes":"\#(secret())"}"#),
          ("credential.add", #"{\#(place),"secret":"AA==","user_id":"\#(secret())"}"#),
          ("credential.add", #"{\#(place),"secret":"AA==","expires_at":"\#(secret())"}"#),
          ("credential.update", #"{\#(place),"secret":"\#(secret())=","clear":["\#(secret())"]}"#),
          ("user.get", #"{"email":"\#(secret())"}"#),
          ("\(secret())", "{}"),
        ] { answers.append(try await peer.call(method, params)) }
        for line in [
          #"{"jsonrpc":"2.0","id":1,"method":"credential.add","params":{"secret":"\#(secret())""#,
          #"{"jsonrpc":"2.0","id":1,"method":"credential.add","params":{"secret":"\#(secret())","secret":"\#(secret())"}}"#,
          #"{"jsonrpc":"2.0","id":1,"method":"credential.add","params":["\#(secret())"]}"#, secret(),
        ] {
          peer.send(line)
          answers.append(try await peer.answer())
        }
      }
      for answer in answers { #expect(answer.error != nil, "\(answer.text)") }
      return answers
    }

    /// A trial whose one caller may use credentials.
    private func withTrial(database: String? = nil, _ body: (DaemonTrial) async throws -> Void) async throws {
      try await DaemonTrial.with(database: database) { trial in
        var trial = trial
        trial.accessGroups = #""*""#
        try await body(trial)
      }
    }

    /// Also with a PostgreSQL that writes every statement with its parameters into its log, which goes to ours. There alone are
    /// the addresses by which holders are looked for.
    @Test func `a thousand secrets leave no trace in the database, its files, its log, ours, metrics or errors`()
      async throws
    {
      let (traces, addresses) = (SecretTraces(), SecretTraces("address"))
      func forms(in text: String) -> [String] { traces.forms(in: text) + addresses.forms(in: text) }
      try await withTrial { trial in
        try await trial.withDaemon { daemon in
          let reader = DatabaseReader(conninfo: trial.embeddedConninfo)
          for setting in ["log_statement = 'all'", "log_parameter_max_length = -1", "log_error_verbosity = 'default'"] {
            try await reader.script("alter system set \(setting)")
          }
          try await reader.script("select pg_reload_conf()")
          _ = try await daemon.line(containing: "log_error_verbosity")
          let peer = try trial.connect()
          let (told, refusals) = try await tell(traces, addresses, on: peer)
          #expect(told >= 1000)
          for answer in refusals { #expect(forms(in: answer.text) == [], "\(answer.text)") }
          let metrics = try await peer.call("server.metrics")
          #expect(metrics.result != nil && forms(in: metrics.text) == [])
          peer.close()
          try await reader.script("checkpoint")
          for traces in [traces, addresses] { #expect(try traces.files(under: trial.folder) == []) }
          let dump = try await DaemonProcess.start(
            program: "/usr/bin/pg_dump", ["--dbname", trial.embeddedConninfo, "--inserts"])
          #expect(try await dump.exit() == .exited(0))
          let text = try await dump.said().map(\.text).joined(separator: "\n")
          #expect(text.contains("plain-5") && text.contains("INSERT INTO kith.credentials"))
          #expect(forms(in: text) == [])
          // What is not secret is there, so that the search would have found what is.
          let lines = try await daemon.said().map(\.text)
          let said = lines.joined(separator: "\n")
          #expect(said.contains("insert into kith.registrations") && said.contains("plain-5"))
          #expect(traces.forms(in: said) == [])
          let ours = lines.filter { !$0.hasPrefix("kithd: debug: postgres: DETAIL:  parameters: ") }
          #expect(ours.count < lines.count && forms(in: ours.joined(separator: "\n")) == [])
        }
      }
    }

    @Test func `what is kept while the database is away leaves no trace in the spool or the log`() async throws {
      let traces = SecretTraces()
      try await TestDatabase.with { database in
        try await TestPooler.with(database) { pooler in
          try await withTrial(database: pooler.conninfo()) { trial in
            var trial = trial
            trial.more = #"database_pooler: "transaction","#
            try await trial.withDaemon { daemon in
              let peer = try trial.connect()
              defer { peer.close() }
              #expect(try await peer.signIn("apple", "known").word == "registered")
              try await pooler.kill()
              for number in 0..<100 {
                let answer = try await peer.signIn(
                  "apple", "p\(number)", "\(traces.secret(number))@example.org", verified: true, Self.hold,
                  #""name":{"given":"\#(traces.secret(100 + number))"}"#, #""request_key":"k\#(number)""#)
                #expect(answer.error?["data"]?["kept"]?.bool == true && traces.forms(in: answer.text) == [])
              }
              let spool = "\(trial.state)/spool"
              #expect(try FileManager.default.contentsOfDirectory(atPath: spool).count > 90)
              #expect(try traces.files(under: trial.folder) == [])
              try await pooler.start()
              try await peer.waitUntilDelivered()
              #expect(try await peer.call("registration.list").text.contains(traces.mark))
              #expect(try traces.files(under: trial.folder) == [])
              let dump = try await DaemonProcess.start(
                program: "/usr/bin/pg_dump", ["--dbname", database.conninfo(for: .superuser)])
              #expect(try await dump.exit() == .exited(0))
              #expect(traces.forms(in: try await dump.said().map(\.text).joined(separator: "\n")) == [])
              #expect(traces.forms(in: try await daemon.said().map(\.text).joined(separator: "\n")) == [])
            }
          }
        }
      }
    }

    // MARK: Memory

    /// The last answers and messages of a loop are overwritten once they are sent and read.
    @Test(.enabled(if: geteuid() == 0)) func `secrets that were handled do not stay in the daemon's memory`()
      async throws
    {
      let credentials = SecretTraces()
      try await TestDatabase.with { database in
        try await withTrial(database: database.conninfo()) { trial in
          try await trial.withDaemon { daemon in
            let peer = try trial.connect()
            for number in 0..<200 {
              let place = #""access_group":"g","account":"a\#(number)","service":"s""#
              let padding = String(repeating: "-", count: number * number)
              let secret = Data((credentials.secret(number) + padding).utf8).base64EncodedString()
              #expect(try await peer.call("credential.add", #"{\#(place),"secret":"\#(secret)"}"#).result != nil)
              #expect(
                try await peer.call("credential.get", "{\(place)}").result?["credential"]?["secret"]?.string == secret)
            }
            // The search finds what is there: a message that is under way.
            peer.send(bytes: Array(#"{"a":"\#(credentials.mark)"#.utf8))
            await peer.handedOver()
            while try await trial.call("server.status").result == nil {}
            #expect(try credentials.copies(inMemoryOf: daemon.id) == ["as it is": 1])
            peer.close()
            while try await trial.call("server.metrics").text.contains("kith_connections 2\\n") {}
            let left = try credentials.copies(inMemoryOf: daemon.id)
            #expect(left == [:])
          }
        }
      }
    }

    /// Started by somebody who allows cores of any size, in a folder where they may be written.
    @Test(arguments: [SIGSEGV, SIGABRT]) func `a daemon that crashes leaves no core`(_ signal: Int32) async throws {
      try await TestDatabase.with { database in
        try await withTrial(database: database.conninfo()) { trial in
          var trial = trial
          let cores = "\(trial.folder)/cores"
          try FileManager.default.createDirectory(atPath: cores, withIntermediateDirectories: false)
          trial.wrapper = ["/bin/sh", "-c", #"ulimit -c unlimited; cd "\#(cores)"; exec "$0" "$@""#]
          let daemon = try await trial.start()
          daemon.signal(signal)
          #expect(try await daemon.exit() == .killed(signal))
          #expect(try FileManager.default.contentsOfDirectory(atPath: cores) == [])
        }
      }
    }

    /// The limit on cores does not hold for a program that the kernel hands them to. Whoever the kernel writes no core of at all
    /// is seen by its files in /proc, which are root's.
    @Test(.enabled(if: geteuid() == 0)) func `the kernel hands the daemon's memory to nobody`() async throws {
      try await TestDatabase.with { database in
        try await withTrial(database: database.conninfo()) { trial in
          var trial = trial
          let server = try ServerAccount.current()
          for path in [trial.folder, "\(trial.folder)/keyset.json"] {
            #expect(chown(path, server.uid, server.gid) == 0)
          }
          trial.wrapper = ["/usr/bin/setpriv"] + server.options + ["--"]
          let daemon = try await trial.start()
          var status = stat()
          #expect(stat("/proc/\(daemon.id)/fd", &status) == 0 && status.st_uid == 0)
          let text = try String(contentsOfFile: "/proc/\(daemon.id)/status", encoding: .utf8)
          #expect(text.contains("Uid:\t\(server.uid)"))
          let limits = try String(contentsOfFile: "/proc/\(daemon.id)/limits", encoding: .utf8)
          let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
          #expect(core.split(separator: " ").suffix(3).prefix(2) == ["0", "0"])
          try await trial.end(daemon)
        }
      }
    }
  }
}
