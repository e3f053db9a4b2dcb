import CLibUV

/// Calls back on its loop's thread after a time, once or again and again, until cancelled.
///
/// Whoever wants the callbacks keeps the timer; letting go of it cancels it.
public final class LoopTimer {
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let action: () -> Void
  private var isOpen = true

  /// - Parameters:
  ///   - afterMilliseconds: how long from now to the first call.
  ///   - everyMilliseconds: the time between further calls; zero for a single one.
  public init(
    on loop: EventLoop, afterMilliseconds: UInt64, everyMilliseconds: UInt64 = 0, _ action: @escaping () -> Void
  ) {
    timer = .allocate(capacity: 1)
    self.action = action
    uv_timer_init(loop.handle, timer)
    timer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    uv_timer_start(
      timer,
      { handle in
        guard let data = handle?.pointee.data else { return }
        Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue().action()
      }, afterMilliseconds, everyMilliseconds)
  }

  deinit { cancel() }

  /// No callback comes after this.
  public func cancel() {
    guard isOpen else { return }
    isOpen = false
    closeAndFree(timer)
  }
}

/// Closes a libuv handle and frees its memory when libuv has let go of it: now, if the loop is gone already.
func closeAndFree<Handle>(_ pointer: UnsafeMutablePointer<Handle>) {
  let handle = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
  handle.pointee.data = nil
  guard uv_is_closing(handle) == 0 else { return pointer.deallocate() }
  uv_close(handle) { closed in closed.map { UnsafeMutableRawPointer($0).deallocate() } }
}

extension EventLoop {
  /// Suspends the calling task for a time; for ever if the loop stops before it is over.
  public func pause(milliseconds: UInt64) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      perform {
        let holder = TimerHolder()
        holder.timer = LoopTimer(on: self, afterMilliseconds: milliseconds) {
          holder.timer = nil
          continuation.resume()
        }
      }
    }
  }
}

/// Keeps a one-shot timer alive until it has fired.
private final class TimerHolder {
  var timer: LoopTimer?
}
