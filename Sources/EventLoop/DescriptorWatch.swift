import CLibUV

/// Tells when a file descriptor can be read or written. The descriptor itself stays its owner's.
public final class DescriptorWatch {
  /// What a descriptor is ready for, or is watched for.
  public struct Readiness: OptionSet, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
    public static let readable = Readiness(rawValue: Int32(UV_READABLE.rawValue))
    public static let writable = Readiness(rawValue: Int32(UV_WRITABLE.rawValue))
  }

  private let poll: UnsafeMutablePointer<uv_poll_t>
  private let action: (Readiness) -> Void
  private var isOpen = true
  private var wanted: Readiness = []

  /// - Parameter action: called with what the descriptor is ready for; on an error with both, so that the next read or
  ///   write finds it.
  public init(
    on loop: EventLoop, descriptor: Int32, _ action: @escaping (Readiness) -> Void
  ) throws(EventLoopError) {
    poll = .allocate(capacity: 1)
    self.action = action
    let result = uv_poll_init(loop.handle, poll, descriptor)
    guard result == 0 else {
      poll.deallocate()
      isOpen = false
      throw EventLoopError(code: result)
    }
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { close() }

  /// Watches for exactly these from now on.
  public func watch(for readiness: Readiness) {
    guard isOpen, readiness != wanted, !isLoopGone else { return }
    wanted = readiness
    start()
  }

  private func start() {
    guard !wanted.isEmpty else {
      uv_poll_stop(poll)
      return
    }
    uv_poll_start(poll, wanted.rawValue) { handle, status, events in
      guard let data = handle?.pointee.data else { return }
      Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue().ready(status, events)
    }
  }

  private func ready(_ status: Int32, _ events: Int32) {
    guard status < 0 else { return action(Readiness(rawValue: events)) }
    action([.readable, .writable])
    // libuv stops watching a descriptor that has an error, and there may be more to read than was read now.
    if isOpen { start() }
  }

  /// The loop closes what is open when it stops, and libuv ends the process if that is started again.
  private var isLoopGone: Bool {
    uv_is_closing(UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)) != 0
  }

  /// No callback comes after this; the owner may close the descriptor.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    closeAndFree(poll)
  }
}
