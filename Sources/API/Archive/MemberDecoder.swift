import JSON
import JSONRPC

/// Reads the members of one object into the variables that a shape shows it.
///
/// Nothing is stored on the side: members are found by comparing names, first where the last one left off, because most
/// callers write them in the order of the definition.
struct MemberDecoder: MemberVisitor {
  typealias Failure = ShapeProblem

  /// A name longer than this is shortened where the answer repeats it.
  private static let nameScalarsTold = 64

  private let object: JSONValue?
  private let side: WireSide
  /// One bit for each of the first 64 members of the object: set if the shape knows it.
  private var known: UInt64 = 0
  /// How many members the shape has not asked for yet.
  private var remaining: Int
  /// The first member that must be there and is not.
  private var missing: ShapeProblem?
  private var ahead: JSONMembers?
  private var aheadIndex = 0

  /// - Parameter object: an object, or nil for one without members.
  init(_ object: JSONValue?, _ side: WireSide) {
    self.object = object
    self.side = side
    remaining = object?.count ?? 0
    ahead = object?.members
  }

  @inline(__always)
  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T, _ limits: T.Limits, _ about: StaticString
  ) throws(ShapeProblem) {
    guard let json = take(name) else { return noteMissing(name) }
    value = try Self.read(json, name, limits, side)
  }

  @inline(__always)
  mutating func member<T: WireValue>(
    _ name: StaticString, _ value: inout T?, _ limits: T.Limits, _ about: StaticString
  ) throws(ShapeProblem) {
    guard let json = take(name) else { return }
    value = try Self.read(json, name, limits, side)
  }

  private static func read<T: WireValue>(
    _ json: JSONValue, _ name: StaticString, _ limits: T.Limits, _ side: WireSide
  ) throws(ShapeProblem) -> T {
    do throws(ShapeProblem) {
      guard !json.isNull else { throw ShapeProblem.null }
      return try T.decode(json, limits, side)
    } catch {
      throw error.under("\(name)")
    }
  }

  private mutating func take(_ name: StaticString) -> JSONValue? {
    guard remaining > 0, let object else { return nil }
    if var next = ahead, let (key, value) = next.next(), key.equals(name) {
      note(aheadIndex)
      ahead = next
      aheadIndex += 1
      return value
    }
    return search(object, name)
  }

  private mutating func search(_ object: JSONValue, _ name: StaticString) -> JSONValue? {
    var members = object.members
    var index = 0
    while let (key, value) = members.next() {
      if key.equals(name) {
        note(index)
        ahead = members
        aheadIndex = index + 1
        return value
      }
      index += 1
    }
    return nil
  }

  @inline(__always)
  private mutating func note(_ index: Int) {
    remaining -= 1
    known |= index < 64 ? 1 << UInt64(index) : 0
  }

  private mutating func noteMissing(_ name: StaticString) {
    if missing == nil { missing = ShapeProblem(.missing, at: "\(name)", "is required") }
  }

  /// To be called after the last member: a parameter that the shape does not know is refused by name, and first, because a
  /// member that is missing is often one that was misspelt.
  func finish() throws(ShapeProblem) {
    if remaining > 0, side == .parameters, let object {
      // A shape has fewer than 64 members, so one of the object's first 64 is unknown if any is.
      for (index, (key, _)) in object.members.enumerated() where known & 1 << UInt64(index) == 0 {
        throw ShapeProblem(.unknown, at: Self.shortened(key.string ?? ""), "is not known here")
      }
    }
    if let missing { throw missing }
  }

  private static func shortened(_ name: String) -> String {
    let scalars = name.unicodeScalars
    return scalars.count <= nameScalarsTold ? name : String(scalars.prefix(nameScalarsTold)) + "…"
  }
}
