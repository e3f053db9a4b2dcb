import Accounts
import Crypto
import Operations
import Postgres
import Store
import TestSupport
import Vault

/// The keychain of one daemon, as tests use it.
struct CredentialTrial: Sendable {
  static let mail = CredentialPlace(accessGroup: "web", account: "mira", service: "mail")
  static let chat = CredentialPlace(accessGroup: "web", account: "mira", service: "chat")

  let daemon: TestDaemon
  let sealer: SharedSealer
  let circumstances: Circumstances
  private let pool: Pool

  /// - Parameters:
  ///   - keyset: what is sealed with; nil for that of all tests.
  ///   - now: the time that is taken for now.
  init(
    _ daemon: TestDaemon, through other: TestDaemon? = nil, keyset: Keyset? = nil, now: Timestamp = TestDaemon.now
  ) async throws {
    struct NoDatabaseID: Error {}
    guard let id = try await daemon.texts("select id::text from kith.database").first.flatMap({ UniqueID($0) }) else {
      throw NoDatabaseID()
    }
    self.daemon = other ?? daemon
    pool = (other ?? daemon).writes
    sealer = SharedSealer(try KeyRing(try keyset ?? TestKeys.keyset(), random: .system), databaseID: id)
    circumstances = Circumstances(now: { now }, random: daemon.circumstances.random)
  }

  private var changing: ChangeCredential {
    ChangeCredential(writes: pool, sealer: sealer, circumstances: circumstances)
  }

  func change(
    _ change: ChangeCredential.Change, at place: CredentialPlace = mail, key: ExactText? = nil
  ) async throws -> CredentialRecord? {
    let call = ChangeCall<CredentialRecord>.credential(key: key) { Array("\($0.version)".utf8) }
    return try await daemon.run { () async throws in try await changing.change(place, change, call: call).new }
  }

  func add(
    _ secret: String, at place: CredentialPlace = mail, user: UserID? = nil, expiresAt: Timestamp? = nil
  ) async throws -> CredentialRecord? {
    let content = CredentialContent(secret: .of(secret), user: user, expiresAt: expiresAt)
    return try await change(.add(content), at: place)
  }

  func put(_ secret: String, at place: CredentialPlace = mail) async throws -> CredentialRecord? {
    try await change(.put(CredentialContent(secret: .of(secret))), at: place)
  }

  func delete(_ place: CredentialPlace = mail, reason: ChangeReason? = nil, key: ExactText? = nil) async throws {
    let call = ChangeCall<Void>.credential(key: key) { Array("{}".utf8) }
    _ = try await daemon.run { () async throws in try await changing.delete(place, reason: reason, call: call) }
  }

  /// The secret.
  func get(_ place: CredentialPlace = mail) async throws -> String {
    let get = GetCredential(on: daemon.loop, reads: daemon.reads, sealer: sealer, circumstances: circumstances)
    return try await daemon.run { () async throws in
      let outcome: GetCredential.Outcome = await withUnsafeContinuation { continuation in
        get.get(place) { continuation.resume(returning: $0) }
      }
      return String(decoding: try outcome.get().secret.revealedBytes, as: UTF8.self)
    }
  }

  func list(
    _ filter: ListCredentials.Filter = .init(), in groups: AccessGroups = AccessGroups(["*"]), limit: Int = 100
  ) async throws -> [CredentialPlace] {
    let list = ListKeptCredentials(reads: daemon.reads, circumstances: circumstances)
    return try await daemon.run { () async throws in
      var found: [CredentialPlace] = []
      var next: ExactText?
      repeat {
        let page = try await list.list(filter, in: groups, page: PageRequest(after: next, limit: limit))
        found += page.items.map(\.place)
        next = page.next
      } while next != nil
      return found
    }
  }

  /// Versions and actions, the oldest first.
  func history(_ place: CredentialPlace = mail, limit: Int = 100) async throws -> [String] {
    let list = ListKeptCredentials(reads: daemon.reads, circumstances: circumstances)
    return try await daemon.run { () async throws in
      var found: [String] = []
      var next: ExactText?
      repeat {
        let page = try await list.history(of: place, page: PageRequest(after: next, limit: limit))
        found += page.items.map { "\($0.version) \($0.action)" }
        next = page.next
      } while next != nil
      return found
    }
  }

  /// The reason why something stored cannot be opened; nil if it can.
  func problem(at place: CredentialPlace = mail) async throws -> SealingError? {
    do {
      _ = try await get(place)
      return nil
    } catch OperationError.sealing(let problem, record: _) {
      return problem
    }
  }
}

/// What an operation failed with, in a word; nil if it did not.
func failure(of body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch OperationError.unknownOwner {
    return "unknown owner"
  } catch OperationError.sealing(let problem, record: _) {
    return "\(problem)"
  } catch {
    return "\(error)"
  }
}

extension SecretBytes {
  static func of(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8) }
}

extension ChangeCall {
  static func credential(key: ExactText?, encode: @escaping @Sendable (Result) -> [UInt8]) -> ChangeCall {
    ChangeCall(
      caller: .tester, peerUID: 4711,
      requestKey: key.map {
        RequestKey(
          caller: .tester, method: "credential", key: $0, parametersDigest: Array(repeating: 0, count: 32))
      },
      encode: encode)
  }
}
