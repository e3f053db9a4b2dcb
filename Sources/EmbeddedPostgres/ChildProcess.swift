import CLinux
import EventLoop
import Glibc

/// How a process ended.
enum ExitStatus: Equatable, Sendable {
  case exited(Int32)
  case killed(Int32)
}

/// A program that this process started and whose lines and end it is told of.
///
/// It is started by the loop's own thread, because the kernel's "tell the child when its parent dies" means the thread that
/// made the child. Everything of it happens on that thread.
final class ChildProcess {
  /// A line longer than this is told in pieces.
  private static let lineBytesMax = 16_384

  let id: pid_t
  private let loop: EventLoop
  private let output: Int32
  private let process: Int32
  private let tellLine: (String) -> Void
  private let tellExit: (ExitStatus) -> Void
  private var outputWatch: DescriptorWatch?
  private var processWatch: DescriptorWatch?
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - arguments: the program's path, then its arguments.
  ///   - input: what it reads; no more than a pipe holds (64 KiB).
  ///   - line: told every line of its output and errors, without the newline.
  ///   - exit: told once, after the last line.
  init(
    _ arguments: [String], input: String = "", on loop: EventLoop,
    line tellLine: @escaping (String) -> Void, exit tellExit: @escaping (ExitStatus) -> Void
  ) throws(EmbeddedPostgresError) {
    self.loop = loop
    self.tellLine = tellLine
    self.tellExit = tellExit
    let outputPipe = try Pipe()
    let inputPipe = try Pipe()
    inputPipe.fill(with: input)
    id = try Self.spawn(arguments, input: inputPipe.reader, output: outputPipe.writer)
    close(outputPipe.writer)
    close(inputPipe.reader)
    close(inputPipe.writer)
    output = outputPipe.reader
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    process = kith_pidfd_open(id)
    do {
      outputWatch = try DescriptorWatch(on: loop, descriptor: output) { [unowned self] _ in readLines() }
      processWatch = try DescriptorWatch(on: loop, descriptor: process) { [unowned self] _ in reap() }
    } catch {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
      if outputWatch == nil { close(output) }
      if processWatch == nil { close(process) }
      throw .programNotStarted(path: arguments[0], code: -error.code)
    }
    outputWatch?.watch(for: .readable)
    processWatch?.watch(for: .readable)
  }

  deinit {
    closeOutput()
    closeProcess()
  }

  func signal(_ number: Int32) {
    guard processWatch != nil else { return }
    kill(id, number)
  }

  // MARK: What it says

  private func readLines() {
    while true {
      let count = read(output, loop.readBuffer.baseAddress, loop.readBuffer.count)
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return closeOutput() }
      for byte in loop.readBuffer[..<count] {
        if byte == UInt8(ascii: "\n") || line.count >= Self.lineBytesMax { endLine() }
        if byte != UInt8(ascii: "\n") { line.append(byte) }
      }
    }
  }

  private func endLine() {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    tellLine(text)
  }

  private func closeOutput() {
    guard let watch = outputWatch else { return }
    outputWatch = nil
    watch.close()
    close(output)
    if !line.isEmpty { endLine() }
  }

  // MARK: How it ends

  private func reap() {
    var information: Int32 = 0
    guard waitpid(id, &information, WNOHANG) == id else { return }
    if outputWatch != nil { readLines() }
    closeOutput()
    closeProcess()
    let signal = information & 0x7f
    tellExit(signal == 0 ? .exited(information >> 8 & 0xff) : .killed(signal))
  }

  private func closeProcess() {
    guard let watch = processWatch else { return }
    processWatch = nil
    watch.close()
    close(process)
  }

  // MARK: Starting it

  /// In a group of its own, so that the terminal's Ctrl-C reaches it through us alone; with no descriptor of ours but the
  /// pipes, and nothing of our environment but where programs are.
  private static func spawn(
    _ arguments: [String], input: Int32, output: Int32
  ) throws(EmbeddedPostgresError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    posix_spawn_file_actions_addchdir_np(&actions, "/")
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
    var child: pid_t = 0
    let path = arguments[0]
    let result = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        posix_spawn(&child, path, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw .programNotStarted(path: path, code: result) }
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

/// A pipe whose ends no other child inherits.
private struct Pipe {
  let reader: Int32
  let writer: Int32

  init() throws(EmbeddedPostgresError) {
    var ends: [Int32] = [0, 0]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw .programNotStarted(path: "pipe", code: errno) }
    reader = ends[0]
    writer = ends[1]
  }

  func fill(with text: String) {
    var bytes = Array(text.utf8)
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    _ = write(writer, &bytes, bytes.count)
  }
}

/// Tells when a process that is not our child has ended.
final class ProcessWatch {
  private let descriptor: Int32
  private var watch: DescriptorWatch?

  /// - Parameter action: told once; nil instead of a watch means that the process is gone already.
  init?(_ process: pid_t, on loop: EventLoop, _ action: @escaping () -> Void) {
    descriptor = kith_pidfd_open(process)
    guard descriptor >= 0 else { return nil }
    do {
      watch = try DescriptorWatch(on: loop, descriptor: descriptor) { [unowned self] _ in
        watch?.close()
        action()
      }
      watch?.watch(for: .readable)
    } catch {
      return nil
    }
  }

  deinit {
    watch?.close()
    close(descriptor)
  }
}
