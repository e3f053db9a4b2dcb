import EventLoop
import Glibc
import Synchronization

/// Finds the addresses of host names on threads of their own, because libpq would do it on the loop, where a resolver that
/// does not answer would hold up everybody.
///
/// Whoever asks for a name that is being looked up already shares that look-up, so there is never more than one thread a
/// name, however long it takes.
final class HostNames: Sendable {
  /// The addresses of a name as numbers, in the order in which they are to be tried, or why there are none.
  typealias Answer = Result<[String], LookupFailure>

  struct LookupFailure: Error {
    let text: String
  }

  static let shared = HostNames { addressesBySystem(of: $0) }

  private let lookUp: @Sendable (String) -> Answer
  /// Those who wait for each name that is being looked up.
  private let waiting = Mutex<[String: [@Sendable (Answer) -> Void]]>([:])

  /// - Parameter lookUp: may block; is called on a thread of its own.
  init(lookUp: @escaping @Sendable (String) -> Answer) {
    self.lookUp = lookUp
  }

  /// The addresses of a name. To be called on the loop.
  func addresses(of name: String, withinMilliseconds limit: UInt64, on loop: EventLoop) async -> Answer {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Answer, Never>) in
      let wait = Wait(on: loop, limitMilliseconds: limit) { continuation.resume(returning: $0) }
      ask(for: name) { answer in loop.perform { wait.end(with: answer) } }
    }
  }

  private func ask(for name: String, _ tell: @escaping @Sendable (Answer) -> Void) {
    let isFirst = waiting.withLock { waiting in
      waiting[name, default: []].append(tell)
      return waiting[name]?.count == 1
    }
    guard isFirst else { return }
    let thread = LookupThread { [self] in finish(name, lookUp(name)) }
    if let problem = thread.start() {
      finish(name, .failure(LookupFailure(text: "a thread could not be made: \(String(cString: strerror(problem)))")))
    }
  }

  private func finish(_ name: String, _ answer: Answer) {
    let told = waiting.withLock { $0.removeValue(forKey: name) } ?? []
    for tell in told { tell(answer) }
  }

  private static func addressesBySystem(of name: String) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let problem = getaddrinfo(name, nil, &hints, &list)
    guard problem == 0 else { return .failure(LookupFailure(text: String(cString: gai_strerror(problem)))) }
    defer { freeaddrinfo(list) }
    var found: [String] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ai_next
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let result = getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      guard result == 0 else { continue }
      let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if !found.contains(address) { found.append(address) }
    }
    return found.isEmpty ? .failure(LookupFailure(text: "it has no address")) : .success(found)
  }
}

/// Somebody who waits for an answer, though not for ever.
///
/// `@unchecked Sendable`: it belongs to its loop and is touched on that loop's thread only.
private final class Wait: @unchecked Sendable {
  private var completion: ((HostNames.Answer) -> Void)?
  private var limit: LoopTimer?

  init(
    on loop: EventLoop, limitMilliseconds: UInt64, completion: @escaping (HostNames.Answer) -> Void
  ) {
    self.completion = completion
    limit = LoopTimer(on: loop, afterMilliseconds: limitMilliseconds) { [self] in
      end(with: .failure(HostNames.LookupFailure(text: "no answer within \(limitMilliseconds) ms")))
    }
  }

  func end(with answer: HostNames.Answer) {
    limit = nil
    completion?(answer)
    completion = nil
  }
}

/// A thread that does one thing and ends.
private final class LookupThread {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// - Returns: nil, or the `errno` for which there is no thread.
  func start() -> Int32? {
    let context = Unmanaged.passRetained(self)
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<LookupThread>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      return result
    }
    pthread_detach(id)
    return nil
  }
}
