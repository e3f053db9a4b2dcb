import EventLoop
import FoundationEssentials
import Glibc
import Postgres
import UnixSocket

/// A relay before a PostgreSQL that cuts connections at COMMIT.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
public final class CommitCutter: @unchecked Sendable {
  /// On which side of COMMIT a connection is cut.
  public enum Moment: CaseIterable, Sendable {
    /// PostgreSQL never gets it.
    case before
    /// PostgreSQL has done it, and the client never learns.
    case after
  }

  private let loop: EventLoop
  private let folder: String
  private let serverPath: String
  private let database: String
  private var listener: SocketListener?
  private var relays: [ObjectIdentifier: Relay] = [:]
  /// Where the next connection that commits is cut; nil to let it pass.
  fileprivate var moment: Moment?
  private(set) var cutCount = 0

  private init(_ database: TestDatabase) throws {
    let host = database.conninfo().split(separator: "'").dropFirst().first ?? ""
    serverPath = "\(host)/.s.PGSQL.5432"
    self.database = database.name
    folder = FileManager.default.temporaryDirectory.appending(path: "kith-cut-\(database.name)-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    loop = try EventLoop()
    try loop.start(name: "cutter")
  }

  public static func with(_ database: TestDatabase, _ body: (CommitCutter) async throws -> Void) async throws {
    let cutter = try CommitCutter(database)
    do {
      try await withTaskExecutorPreference(cutter.loop) { () async throws in try cutter.listen() }
      try await body(cutter)
      await cutter.stop()
    } catch {
      await cutter.stop()
      throw error
    }
  }

  /// What a daemon connects with to go through here.
  public var settings: ConnectionSettings {
    get throws { try ConnectionSettings(conninfo: conninfo, applicationName: "tests") }
  }

  /// The same as a libpq connection string.
  public var conninfo: String { "host=\(folder) port=5432 dbname=\(database) user=kith_runtime" }

  /// Cuts the next connection that commits.
  public func cutNext(_ moment: Moment) async {
    await withTaskExecutorPreference(loop) { self.moment = moment }
  }

  public var cuts: Int {
    get async { await withTaskExecutorPreference(loop) { cutCount } }
  }

  private func listen() throws {
    let path = "\(folder)/.s.PGSQL.5432"
    let descriptor = try SocketListener.bind(path: path, mode: 0o700, gid: nil)
    listener = try SocketListener(on: loop, descriptor: descriptor, ownedPath: path) { [unowned self] in accept($0) }
  }

  private func accept(_ client: Int32) {
    guard let server = try? SocketStream.connect(path: serverPath),
      let relay = try? Relay(of: self, client: client, server: server, on: loop)
    else { return }
    relays[ObjectIdentifier(relay)] = relay
  }

  fileprivate func isOver(_ relay: Relay) {
    relays[ObjectIdentifier(relay)] = nil
  }

  /// Takes the order to cut, so that one connection is cut once.
  fileprivate func takeMoment() -> Moment? {
    defer { moment = nil }
    if moment != nil { cutCount += 1 }
    return moment
  }

  private func stop() async {
    await withTaskExecutorPreference(loop) {
      listener?.close()
      for relay in relays.values { relay.cut() }
    }
    loop.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// One connection through the relay.
private final class Relay {
  private let cutter: CommitCutter
  private var client: End?
  private var server: End?
  private var isAwaitingCommit = false

  init(of cutter: CommitCutter, client: Int32, server: Int32, on loop: EventLoop) throws {
    self.cutter = cutter
    self.client = try End(
      client, on: loop, received: { [unowned self] in fromClient($0) }, ended: { [unowned self] in cut() })
    self.server = try End(
      server, on: loop, received: { [unowned self] in fromServer($0) }, ended: { [unowned self] in cut() })
  }

  func cut() {
    guard let client, let server else { return }
    self.client = nil
    self.server = nil
    client.stream.close()
    server.stream.close()
    cutter.isOver(self)
  }

  private func fromClient(_ bytes: [UInt8]) {
    // The name of the prepared statement, as it is bound.
    if bytes.contains(Array("commit\0".utf8)) {
      switch cutter.takeMoment() {
      case .before: return cut()
      case .after: isAwaitingCommit = true
      case nil: break
      }
    }
    server?.stream.write { $0 += bytes }
  }

  private func fromServer(_ bytes: [UInt8]) {
    guard isAwaitingCommit else { client?.stream.write { $0 += bytes }; return }
    // PostgreSQL says so once it is done.
    if bytes.contains(Array("COMMIT\0".utf8)) { cut() }
  }
}

/// One end of a relay.
private final class End: SocketStreamOwner {
  let stream: SocketStream
  private let onBytes: ([UInt8]) -> Void
  private let onEnd: () -> Void

  init(
    _ descriptor: Int32, on loop: EventLoop, received: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void
  ) throws {
    stream = try SocketStream(on: loop, descriptor: descriptor, queuedBytesMax: 1 << 24)
    onBytes = received
    onEnd = ended
    stream.owner = self
    stream.resumeReading()
  }

  func received(_ bytes: UnsafeRawBufferPointer) { onBytes(Array(bytes)) }
  func receivedEnd() { onEnd() }
  func wroteEverything() {}
  func wrotePart() {}
  func closed(_ reason: SocketStream.CloseReason) { onEnd() }
}
