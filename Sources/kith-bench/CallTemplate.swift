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
    /// The key as the time of an id has it, which is written in two parts.
    case high = "h"
    case low = "l"
    /// The text of a plan.
    case plan = "t"

    /// None for what is no number.
    var digits: Int {
      switch self {
      case .opening, .high: 6
      case .key: 10
      case .given, .family: 3
      case .low: 4
      case .plan: 0
      }
    }
  }

  private(set) var line: [UInt8] = []
  private var slots: [(offset: Int, field: Field)] = []
  private let load: Load
  private let range: LoadRange
  private let plans: [[UInt8]]
  private var used = 0
  private var generator: RandomNumbers

  /// - Parameter plans: for merges, each a text of one length.
  init(_ load: Load, _ range: LoadRange, plans: [[UInt8]]) {
    self.load = load
    self.range = range
    self.plans = plans
    generator = RandomNumbers(seed: UInt64(MonotonicTime.nanoseconds()))
    var text = Self.text(load, range)[...]
    while let character = text.popFirst() {
      if character == "<", let name = text.popFirst(), let field = Field(rawValue: name) {
        slots.append((line.count, field))
        line += field == .plan ? plans.first ?? [] : [UInt8](repeating: UInt8(ascii: "0"), count: field.digits)
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
      case .plan: #""method":"merge.plan","params":{"users":["\#(user(1))","\#(user(2))"]"#
      case .merge: #""method":"merge.run","params":{"plan_token":"<t>","reason":"One person.""#
      }
    return #"{"jsonrpc":"2.0","id":1,\#(call)}}"# + "\n"
  }

  /// 64 bytes in base64.
  private static let secret = "c2VjcmV0" + String(repeating: "c2VjcmV0", count: 9) + "c2VjcmV0cw=="

  /// One of a couple.
  private static func user(_ number: Int) -> String { "01<h>-<l>-7000-8000-00000000000\(number)" }

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

  /// Turns the line into the next call; false when there are no more users to link, couples or plans.
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
    case .plan:
      guard used < range.users else { return false }
      key = range.base + used
    case .merge:
      guard used < plans.count else { return false }
      key = used
    }
    for slot in slots { fill(slot, key) }
    used += 1
    return true
  }

  private mutating func fill(_ slot: (offset: Int, field: Field), _ key: Int) {
    let value: Int
    switch slot.field {
    case .opening: value = 100_000 + key % 900_000 * 7919 % 900_000
    case .key: value = key
    case .given: value = 100 + used % 900
    case .family: value = 100 + used % 890
    case .high: value = key / 10_000
    case .low: value = key % 10_000
    case .plan: return line.replaceSubrange(slot.offset..<slot.offset + plans[key].count, with: plans[key])
    }
    write(value, digits: slot.field.digits, at: slot.offset)
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
