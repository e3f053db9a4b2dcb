import CLibUV

extension EventLoop {
  /// Does what may block (a file system does) on a thread of libuv's pool, where it holds up nobody on the loop, and
  /// returns when it is done. May be called from anywhere; for ever if the loop stops before it is over.
  ///
  /// The pool has four threads for the whole process unless `UV_THREADPOOL_SIZE` says otherwise, so nothing that waits for
  /// other people may be done there. A loop that stops waits for what is under way.
  public func offLoop<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Value, Failure>, Never>) in
      let work = OffLoopWork {
        let result = Result(catching: body)
        return { continuation.resume(returning: result) }
      }
      if isCurrent { work.queue(on: self) } else { perform { work.queue(on: self) } }
    }
    return try result.get()
  }
}

/// One thing that is done on another thread.
///
/// `@unchecked Sendable`: it is with one thread at a time, first the loop's, then one of the pool's, then the loop's again.
private final class OffLoopWork: @unchecked Sendable {
  private let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
  private let body: () -> (() -> Void)
  /// What is left to do on the loop.
  private var completion: (() -> Void)?

  /// - Parameter body: called on the pool's thread; what it returns is called on the loop's.
  init(_ body: @escaping () -> (() -> Void)) {
    self.body = body
  }

  deinit { request.deallocate() }

  /// To be called on the loop's thread.
  func queue(on loop: EventLoop) {
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    // Fails only without anything to do.
    uv_queue_work(
      loop.handle, request,
      { request in
        guard let data = request?.pointee.data else { return }
        let work = Unmanaged<OffLoopWork>.fromOpaque(data).takeUnretainedValue()
        work.completion = work.body()
      },
      { request, _ in
        guard let data = request?.pointee.data else { return }
        let work = Unmanaged<OffLoopWork>.fromOpaque(data).takeRetainedValue()
        work.completion?()
      })
  }
}
