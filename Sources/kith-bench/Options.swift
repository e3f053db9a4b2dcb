/// What the command line asks for.
struct Options {
  var users = 200_000
  var seconds = 3.0
  var isQuick = false
  var checks = false
  var binaries = ".build/release"

  static let usage = """
    Usage: kith-bench [--users N] [--seconds S] [--quick] [--check] [--bin DIR]
      --users N    users to load, up to 10000000 (default: 200000)
      --seconds S  how long each measurement takes (default: 3)
      --quick      5000 users and half a second each: only proves that it runs
      --check      exit 1 when a ratio is below what is promised
      --bin DIR    where kithd is (default: .build/release)
    """

  static let usersMax = 10_000_000

  /// Nil for words that are not understood.
  init?(_ words: [String]) {
    var words = words[...]
    while let word = words.popFirst() {
      switch word {
      case "--quick":
        isQuick = true
        users = 5000
        seconds = 0.5
      case "--check": checks = true
      case "--users":
        guard let number = words.popFirst().flatMap({ Int($0) }), (1000...Self.usersMax).contains(number) else {
          return nil
        }
        users = number
      case "--seconds":
        guard let number = words.popFirst().flatMap({ Double($0) }), (0.1...600).contains(number) else { return nil }
        seconds = number
      case "--bin":
        guard let folder = words.popFirst() else { return nil }
        binaries = folder
      default: return nil
      }
    }
  }
}
