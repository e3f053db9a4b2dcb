import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension FaultTests {
  /// The disk of the embedded PostgreSQL, a small one in memory, is full.
  @Suite
  struct FullDiskTests {
    /// CAP_SYS_ADMIN, by its number in linux/capability.h.
    private static let administrationCapability: UInt64 = 1 << 21

    private static let canMount: Bool = {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
      let capabilities = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
      return capabilities & administrationCapability != 0
    }()

    /// Has the daemon of a trial keep its state on a small disk of its own.
    private func withSmallDisk(_ size: String, _ trial: DaemonTrial) throws -> DaemonTrial {
      var trial = trial
      try FileManager.default.createDirectory(atPath: trial.state, withIntermediateDirectories: false)
      trial.wrapper = [
        "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
        #"mount -t tmpfs -o size=\#(size),mode=0755 kith-fault "$0" && exec "$@""#, trial.state,
      ]
      return trial
    }

    @Test(.enabled(if: canMount, "To mount a small disk takes CAP_SYS_ADMIN."))
    func `a full disk is told as such, leaves nothing partial, and is forgotten when there is space`() async throws {
      try await DaemonTrial.with { trial in
        let trial = try withSmallDisk("160m", trial)
        try await trial.withDaemon { daemon in
          // The daemon sees the mount, and we through it.
          let disk = "/proc/\(daemon.id)/root\(trial.state)"
          let reader = DatabaseReader(conninfo: "host=\(disk)/postgres/run port=5432 dbname=kith user=postgres")
          let peer = try trial.connect()
          defer { peer.close() }
          let ballast = try fill(disk)
          let (done, refused) = try await signInUntilRefused(on: peer)
          #expect(refused.answer.reason == "storage_full", "\(refused.answer.text)")
          #expect(refused.answer.error?["data"]?["retryable"]?.bool == true)
          #expect(try await !reader.keptKeys().contains(refused.call.key))
          #expect(try await reader.count("select count(*)::text from kith.users") == done)
          #expect(try await reader.count("select count(*)::text from kith.identities") == done)
          #expect(unlink(ballast) == 0)
          let answer = try await refused.call.make(on: peer)
          #expect(answer.outcome == "registered", "\(answer.text)")
        }
      }
    }

    @Test(.enabled(if: canMount, "To mount a small disk takes CAP_SYS_ADMIN."))
    func `when nothing more can be kept that is told, nothing partial is left, and it heals by itself`() async throws {
      try await withPooler { database, pooler, trial in
        let trial = try withSmallDisk("512k", trial)
        try await trial.withDaemon { daemon in
          let disk = "/proc/\(daemon.id)/root\(trial.state)"
          let peer = try trial.connect()
          defer { peer.close() }
          let ballast = try fill(disk)
          // Who reaches the database needs no room.
          #expect(try await signIn(peer, 0).outcome == "registered")
          try await pooler.kill()
          for number in 1...3 {
            let refused = try await signIn(peer, number)
            #expect(refused.reason == "storage_full" && kept(refused) == false, "\(refused.text)")
            #expect(refused.error?["data"]?["retryable"]?.bool == true)
            #expect(try entries(on: disk) == [])
          }
          #expect(unlink(ballast) == 0)
          var number = 1
          var answer = try await signIn(peer, number)
          while answer.reason == "database_unavailable", kept(answer) == true {
            number += 1
            answer = try await signIn(peer, number)
          }
          // All but the last are kept.
          #expect(answer.reason == "storage_full" && kept(answer) == false && number > 1, "\(answer.text)")
          #expect(try entries(on: disk).count == number - 1)
          try await pooler.start()
          try await peer.waitUntilDelivered()
          #expect(
            try await database.texts("select subject from kith.registrations order by id")
              == (1..<number).map { "\($0)" })
          #expect(try entries(on: disk) == [])
          #expect(try await signIn(peer, number).outcome == "registered")
          try await database.expectConsistency()
        }
      }
    }

    private func signIn(_ peer: TestPeer, _ number: Int) async throws -> WireAnswer {
      try await peer.signIn("apple", "\(number)", nil, #""details":{"more":"\#(String(repeating: "x", count: 8000))"}"#)
    }

    private func kept(_ answer: WireAnswer) -> Bool? { answer.error?["data"]?["kept"]?.bool }

    /// The files of the spool that hold anything.
    private func entries(on disk: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: disk + "/spool").filter { $0.hasSuffix(".entries") }
    }

    /// Takes what is free, and gives the file that holds it.
    private func fill(_ disk: String) throws -> String {
      var space = statvfs()
      let file = disk + "/ballast"
      let descriptor = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
      defer { close(descriptor) }
      try #require(statvfs(disk, &space) == 0)
      #expect(posix_fallocate(descriptor, 0, off_t(space.f_bavail) * off_t(space.f_frsize)) == 0)
      return file
    }

    private func signInUntilRefused(
      on peer: TestPeer
    ) async throws -> (done: Int, refused: (call: KeyedCall, answer: WireAnswer)) {
      for number in 0..<5000 {
        let details = (0..<256).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        let call = KeyedCall(
          "signin.resolve",
          #""provider":"apple","subject":"\#(DaemonTrial.canary)-full-\#(number)","details":{"more":"\#(details)"}"#,
          person: number, number: number, tag: "full")
        peer.send(call.line)
        let answer = try await peer.answer()
        if answer.reason != nil { return (number, (call, answer)) }
      }
      throw NeverFull()
    }

    private struct NeverFull: Error {}
  }
}
