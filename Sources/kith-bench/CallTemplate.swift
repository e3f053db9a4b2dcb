/// The line of one call, whose numbers of fixed width are patched in place: making a call must cost next to nothing,
/// because the cores are those of what is measured.
struct CallTemplate {
  private enum Field: Character, CaseIterable {
    /// The six digits that open a subject.
    case opening = "p"
    /// The ten digits of a key.
    case key = "q"
    /// Three digits each of a person's names.
    case given = "a"
    case family = "b"

    var digits: Int {
      switch self {
      case .opening: 6
      case .key: 10
      case .given, .family: 3
      }
    }
  }

  private(set) var line: [UInt8] = []
  private var slots: [(offset: Int, field: Field)] = []
  private let load: Load
  private let range: LoadRange
  private var used = 0
  private var generator: RandomNumbers

  init(_ load: Load, _ range: LoadRange) {
    self.load = load
    self.range = range
    generator = RandomNumbers(seed: UInt64(MonotonicTime.nanoseconds()))
    var text = Self.text(load, range)[...]
    while let character = text.popFirst() {
      if character == "<", let name = text.popFirst(), let field = Field(rawValue: name) {
        slots.append((line.count, field))
        line += [UInt8](repeating: UInt8(ascii: "0"), count: field.digits)
        text.removeFirst()
      } else {
        line += Array(character.utf8)
      }
    }
  }

  private static func text(_ load: Load, _ range: LoadRange) -> String {
    let call =
      switch load {
      case .known, .link, .registration, .hold: signIn(load, range)
      case .credential: credential("put", range, and: #","secret":"\#(secret)""#)
      case .secret: credential("get", range, and: "")
      }
    return #"{"jsonrpc":"2.0","id":1,\#(call)}}"# + "\n"
  }

  /// 64 bytes in base64.
  private static let secret = "c2VjcmV0" + String(repeating: "c2VjcmV0", count: 9) + "c2VjcmV0cw=="

  private static func credential(_ change: String, _ range: LoadRange, and rest: String) -> String {
    #""method":"credential.\#(change)","params":{"access_group":"\#(LoadRange.accessGroup)","account":"user<q>","#
      + #""service":"\#(range.domain)"\#(rest)"#
  }

  private static func signIn(_ load: Load, _ range: LoadRange) -> String {
    let subject = "<p>.c04e11d27fb84aa9b7d5f2<q>.1933"
    let who =
      switch load {
      case .known: #""provider":"apple","subject":"\#(subject)","email":"user<q>@example.org""#
      case .link:
        #""provider":"linkedin","tenant":"\#(range.tenant)","subject":"\#(subject)","email":"user<q>@example.org""#
      default:
        #""provider":"apple","subject":"\#(subject)","email":"user<q>@\#(range.domain)""#
          + #","name":{"given":"Mira<a>","family":"Okafor<b>"}"#
      }
    let choice = load == .hold ? #","register":"hold""# : ""
    return #""method":"signin.resolve","params":{\#(who),"email_verified":true\#(choice)"#
  }

  /// Turns the line into the next call; nil when there are no more users to link.
  mutating func advance() -> Bool {
    let key: Int
    switch load {
    case .known:
      key = LoadRange.firstKey + generator.next(below: range.users)
    case .link:
      guard used < range.users else { return false }
      key = LoadRange.firstKey + (range.start + used) * LoadRange.spread % range.users
    case .registration, .hold, .credential:
      key = range.base + used
    case .secret:
      key = range.base + generator.next(below: range.users)
    }
    for slot in slots { write(value(of: slot.field, key), digits: slot.field.digits, at: slot.offset) }
    used += 1
    return true
  }

  private func value(of field: Field, _ key: Int) -> Int {
    switch field {
    case .opening: 100_000 + key % 900_000 * 7919 % 900_000
    case .key: key
    case .given: 100 + used % 900
    case .family: 100 + used % 890
    }
  }

  private mutating func write(_ number: Int, digits: Int, at offset: Int) {
    var rest = number
    for place in stride(from: offset + digits - 1, through: offset, by: -1) {
      line[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}

/// Fast and good enough to pick users (xorshift64).
private struct RandomNumbers {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed | 1
  }

  mutating func next(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 11) % bound
  }
}
