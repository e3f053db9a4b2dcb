import CLinux
import EventLoop
import Glibc

/// The built `kithd`, or another program that serves, as a process of its own: started with arguments of the test's, watched by what it writes and by how it
/// ends, and gone when this process is.
///
/// `@unchecked Sendable`: its state belongs to the thread of the loop that all of them share; other threads only hand work to
/// that loop.
public final class DaemonProcess: @unchecked Sendable {
  /// A line of its output or errors, and when it came.
  public struct Line: Sendable {
    public let text: String
    public let at: ContinuousClock.Instant
  }

  /// How it ended.
  public enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
  }

  /// What was waited for cannot come any more, or took too long.
  public struct Missing: Error, CustomStringConvertible {
    public let lines: [String]
    public let ending: Ending?

    public var description: String {
      "not in what the daemon said (\(ending.map { "\($0)" } ?? "still running")):\n" + lines.joined(separator: "\n")
    }
  }

  private struct Wait {
    /// Ends the wait if it can be; says whether it was.
    let isOver: (_ isLast: Bool) -> Bool
    let patience: LoopTimer
  }

  /// Far above what the slowest start takes on a busy machine.
  private static let patienceMilliseconds: UInt64 = 30_000
  private static let readyText = "kithd: ready"

  /// Never stopped, because the kernel ends the daemons with the thread that started them.
  private static let shared = Result<EventLoop, any Error> {
    let loop = try EventLoop()
    try loop.start(name: "test-daemons")
    return loop
  }

  public let id: pid_t
  public let startedAt: ContinuousClock.Instant
  private let loop: EventLoop
  private let output: Int32
  private let process: Int32
  private var outputWatch: DescriptorWatch?
  private var processWatch: DescriptorWatch?
  private var part: [UInt8] = []
  private var lines: [Line] = []
  private var hasOutputEnded = false
  private var ending: Ending?
  private var waits: [Int: Wait] = [:]
  private var waitCount = 0

  // MARK: Starting and ending

  /// Starts the daemon.
  ///
  /// - Parameters:
  ///   - wrapper: a program and its arguments that set something up and become the daemon.
  ///   - environment: beside `PATH`.
  public static func start(
    _ arguments: [String], wrapper: [String] = [], environment: [String: String] = [:]
  ) async throws -> DaemonProcess {
    try await start(
      ["--"] + wrapper + [try BuiltProgram.path("kithd")] + arguments,
      variables: environment.map { "\($0.key)=\($0.value)" })
  }

  /// Starts another program, as the user that servers run as: see ``ServerAccount``.
  public static func start(program: String, _ arguments: [String]) async throws -> DaemonProcess {
    try await start(try ServerAccount.current().options + ["--", program] + arguments, variables: ["LC_ALL=C"])
  }

  private static func start(_ words: [String], variables: [String]) async throws -> DaemonProcess {
    let loop = try shared.get()
    let words = ["/usr/bin/setpriv", "--pdeathsig", "KILL"] + words
    let variables = variables + ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    return try await withTaskExecutorPreference(loop) { try DaemonProcess(words, variables, on: loop) }
  }

  private init(_ words: [String], _ variables: [String], on loop: EventLoop) throws {
    self.loop = loop
    startedAt = .now
    var ends: [Int32] = [0, 0]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemCallFailure(call: "pipe2", errno: errno) }
    defer { close(ends[1]) }
    output = ends[0]
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    id = try Self.spawn(words, variables, output: ends[1])
    process = kith_pidfd_open(id)
    // Weakly, because what it started may still write or end while another thread lets go of this.
    outputWatch = try DescriptorWatch(on: loop, descriptor: output) { [weak self] _ in self?.readLines() }
    processWatch = try DescriptorWatch(on: loop, descriptor: process) { [weak self] _ in self?.reap() }
    outputWatch?.watch(for: .readable)
    processWatch?.watch(for: .readable)
  }

  deinit {
    // Nobody can see it any more; the kernel must not hand its number to another before it is gone.
    let (id, output, process, hasOutputEnded) = (id, output, process, hasOutputEnded)
    let (outputWatch, processWatch) = (Handover(outputWatch), Handover(processWatch))
    let isRunning = ending == nil
    loop.perform {
      outputWatch.value?.close()
      processWatch.value?.close()
      if !hasOutputEnded { close(output) }
      close(process)
      guard isRunning else { return }
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
  }

  /// Sends a signal, if it still runs.
  public func signal(_ number: Int32) {
    loop.perform { [self] in
      if ending == nil { kill(id, number) }
    }
  }

  /// Ends it at once and waits until it is gone.
  public func endAtOnce() async throws {
    signal(SIGKILL)
    _ = try await exit()
  }

  /// Asks it to end, and gives how it did.
  @discardableResult
  public func stop() async throws -> Ending {
    signal(SIGTERM)
    return try await exit()
  }

  /// How it ended, once it has.
  public func exit() async throws -> Ending {
    try await next { _, ending in ending }
  }

  // MARK: What it says

  /// Waits until it says that it is ready; gives how long that took.
  @discardableResult
  public func ready() async throws -> Duration {
    try await line(containing: Self.readyText).at - startedAt
  }

  /// Every line so far.
  public func said() async throws -> [Line] {
    try await next { lines, _ in lines }
  }

  /// The first line with a text, not counting so many before it; waited for if it has not come.
  public func line(containing text: String, skipping count: Int = 0) async throws -> Line {
    try await next { lines, _ in lines.dropFirst(count).first { $0.text.contains(text) } }
  }

  /// Leaves what it writes unread, and closes the pipe that it writes to.
  public func stopListening() {
    loop.perform { [self] in endOutput() }
  }

  /// Leaves what it writes unread, with the pipe that it writes to full, until ``listenAgain()``.
  public func letPipeFill() async throws {
    try await withTaskExecutorPreference(loop) { [self] () async throws in
      outputWatch?.watch(for: [])
      // Opened anew, so that it blocks for the daemon and not here; from our end, for nobody may look at the daemon's.
      let pipe = open("/proc/self/fd/\(output)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      guard pipe >= 0 else { throw SystemCallFailure(call: "open stderr of \(id)", errno: errno) }
      defer { close(pipe) }
      let filler = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
      for count in [filler.count, 1] { while write(pipe, filler, count) > 0 {} }
    }
  }

  /// Reads what it wrote and writes.
  public func listenAgain() {
    loop.perform { [self] in outputWatch?.watch(for: .readable) }
  }

  private func next<Value: Sendable>(
    _ find: @escaping @Sendable ([Line], Ending?) -> Value?
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
      loop.perform { [self] in
        waitCount += 1
        let number = waitCount
        let patience = LoopTimer(on: loop, afterMilliseconds: Self.patienceMilliseconds) { [unowned self] in
          if waits[number]?.isOver(true) == true { waits[number] = nil }
        }
        waits[number] = Wait(
          isOver: { [unowned self] isLast in
            if let value = find(lines, ending) {
              continuation.resume(returning: value)
            } else if isLast {
              continuation.resume(throwing: Missing(lines: lines.map(\.text), ending: ending))
            } else {
              return false
            }
            return true
          }, patience: patience)
        endWaits()
      }
    }
  }

  private func endWaits() {
    let isLast = ending != nil
    for (number, wait) in waits where wait.isOver(isLast) { waits[number] = nil }
  }

  private func readLines() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while !hasOutputEnded {
      let count = read(output, &chunk, chunk.count)
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else { return endOutput() }
      for byte in chunk[..<count] {
        guard byte == UInt8(ascii: "\n") else {
          part.append(byte)
          continue
        }
        lines.append(Line(text: String(decoding: part, as: UTF8.self), at: .now))
        part = []
      }
    }
    endWaits()
  }

  private func endOutput() {
    guard !hasOutputEnded else { return }
    hasOutputEnded = true
    outputWatch?.close()
    outputWatch = nil
    close(output)
  }

  private func reap() {
    var information: Int32 = 0
    guard waitpid(id, &information, WNOHANG) == id else { return }
    processWatch?.close()
    processWatch = nil
    readLines()
    let signal = information & 0x7f
    ending = signal == 0 ? .exited(information >> 8 & 0xff) : .killed(signal)
    endWaits()
  }

  // MARK: Starting it

  private static func spawn(_ words: [String], _ variables: [String], output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    // Threads of a test block signals, and a program inherits that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    let result = withCStrings(words) { words in
      withCStrings(variables) { variables in
        words[0].map { posix_spawn(&child, $0, &actions, &attributes, words, variables) } ?? ENOENT
      }
    }
    guard result == 0 else { throw SystemCallFailure(call: "posix_spawn \(words[0])", errno: result) }
    return child
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map(body) ?? ENOMEM
    }
  }
}

/// Takes something to the loop that it belongs to.
///
/// `@unchecked Sendable`: whoever makes it lets go of the value, and the loop alone touches it then.
private struct Handover<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
