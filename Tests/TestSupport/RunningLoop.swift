import EventLoop

/// A loop that runs while a test needs it.
public enum RunningLoop {
  /// Lends a running loop and returns once its thread has let go of everything.
  @discardableResult
  public static func with<Value>(_ body: (EventLoop) async throws -> Value) async throws -> Value {
    let loop = try EventLoop()
    try loop.start(name: "test-loop")
    do {
      let value = try await body(loop)
      await loop.stopAndWait()
      return value
    } catch {
      await loop.stopAndWait()
      throw error
    }
  }
}
