import CLibUV

/// Calls back on its loop's thread when the process receives a signal, until cancelled.
public final class LoopSignal {
  private let signal: UnsafeMutablePointer<uv_signal_t>
  private let action: () -> Void
  private var isOpen = true

  public init(on loop: EventLoop, number: Int32, _ action: @escaping () -> Void) throws(EventLoopError) {
    signal = .allocate(capacity: 1)
    self.action = action
    let result = uv_signal_init(loop.handle, signal)
    guard result == 0 else {
      signal.deallocate()
      isOpen = false
      throw EventLoopError(code: result)
    }
    signal.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    try EventLoopError.check(
      uv_signal_start(
        signal,
        { handle, _ in
          guard let data = handle?.pointee.data else { return }
          Unmanaged<LoopSignal>.fromOpaque(data).takeUnretainedValue().action()
        }, number))
  }

  deinit { cancel() }

  /// No callback comes after this; the signal has its ordinary effect again.
  public func cancel() {
    guard isOpen else { return }
    isOpen = false
    closeAndFree(signal)
  }
}
