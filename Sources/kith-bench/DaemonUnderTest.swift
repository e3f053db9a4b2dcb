import Foundation

/// A `kithd --embedded` in a folder of its own, ended by its process id.
final class DaemonUnderTest {
  private static let readyText = "kithd: ready"

  let folder: String
  private let binary: String
  private var process: Process?

  init(binary: String) throws {
    self.binary = binary
    folder = "/tmp/kith-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try configuration.write(toFile: folder + "/kith.json5", atomically: true, encoding: .utf8)
  }

  var appSocket: String { folder + "/app.sock" }
  var databaseFolder: String { folder + "/postgres/run" }
  var id: Int32 { process?.processIdentifier ?? 0 }
  /// The server and all its backends.
  var databaseProcesses: [Int32] { ProcessFigures.descendants(of: id) }

  private var configuration: String {
    """
    {
      state_dir: "\(folder)",
      sockets: { app: "\(folder)/app.sock", admin: "\(folder)/admin.sock" },
      namespaces: [{ provider: "apple", tenant: "BENCH00001" }, { provider: "linkedin", tenant: "bench" }],
      callers: [{ name: "bench", uid: \(getuid()), methods: ["*"], namespaces: ["*"], may_assert: true }],
    }
    """
  }

  /// Starts it and waits until it is ready.
  ///
  /// - Returns: how long that took, in seconds.
  @discardableResult
  func start() throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: binary)
    process.arguments = ["--embedded", "--migrate", "--config", folder + "/kith.json5"]
    let errors = Pipe()
    process.standardError = errors
    let began = Date()
    try process.run()
    self.process = process
    var text = ""
    while !text.contains(Self.readyText) {
      let data = errors.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Program.Failure(description: "kithd did not start: \(text)") }
      text += String(decoding: data, as: UTF8.self)
    }
    let seconds = Date().timeIntervalSince(began)
    // Whoever writes into a pipe that nobody reads stops when it is full.
    errors.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    return seconds
  }

  func stop() {
    guard let process else { return }
    process.terminate()
    process.waitUntilExit()
    self.process = nil
  }

  func remove() {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
