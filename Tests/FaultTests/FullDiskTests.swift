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

    @Test(.enabled(if: canMount, "To mount a small disk takes CAP_SYS_ADMIN."))
    func `a full disk is told as such, leaves nothing partial, and is forgotten when there is space`() async throws {
      try await DaemonTrial.with { trial in
        var trial = trial
        try FileManager.default.createDirectory(atPath: trial.state, withIntermediateDirectories: false)
        trial.wrapper = [
          "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
          #"mount -t tmpfs -o size=160m,mode=0755 kith-fault "$0" && exec "$@""#, trial.state,
        ]
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
