import FoundationEssentials
import Testing

/// What the daemon promises when something breaks under it. One at a time, because they measure how long it takes.
///
/// Every daemon writes at its most talkative level, and every trial ends with a search of what it wrote for the people who
/// signed in.
@Suite(.serialized)
enum FaultTests {
  /// How often each fault is brought about: what fits into every run, or more, by `KITH_FAULT_ROUNDS`, for long ones.
  static func rounds(_ usual: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["KITH_FAULT_ROUNDS"].flatMap { Int($0) } ?? 1
    return usual * max(factor, 1)
  }

  /// Tells what a long run did.
  static func tell(_ sentence: @autoclosure () -> String) {
    if rounds(1) > 1 { print(sentence()) }
  }

  /// Within how long the daemon promises to be ready, or to serve again.
  static let promised = Duration.seconds(1)

  /// Expects that at least half of several times are within what is promised: whatever else a machine is busy with makes
  /// any one of them longer, and none shorter.
  static func expectPromised(_ times: [Duration], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(times.sorted()[(times.count - 1) / 2] < promised, "\(times)", sourceLocation: sourceLocation)
  }
}
