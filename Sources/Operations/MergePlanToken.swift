import Accounts
import Crypto
import JSON
import Store

/// What a plan to merge two users says of itself, in a text that the caller keeps and brings back: nothing of a plan is stored.
///
/// It is no secret and proves nothing: who may merge may merge any two users, and a plan that was made up is stale.
public struct MergePlanToken: Hashable, Sendable {
  /// So long a person looks at a plan before they agree.
  public static let minutes = 15.0

  private static let version: UInt8 = 1
  private static let randomBytes = 16
  private static let byteCount = 1 + 16 + 16 + MergeDigest.bytes + 8 + randomBytes

  public let survivor: UserID
  public let absorbed: UserID
  /// What the plan was made from; see ``MergeDigest``.
  let digest: [UInt8]
  public let expiresAt: Timestamp
  /// Tells two plans of the same apart, for each is carried out once.
  private let random: (UInt64, UInt64)

  init(survivor: UserID, absorbed: UserID, digest: [UInt8], expiresAt: Timestamp, random: (UInt64, UInt64)) {
    self.survivor = survivor
    self.absorbed = absorbed
    self.digest = digest
    self.expiresAt = expiresAt
    self.random = random
  }

  /// Fails for a text that is no plan's.
  public init?(_ text: ExactText) {
    guard let bytes = Base64URL.decode(text.string), bytes.count == Self.byteCount, bytes[0] == Self.version else {
      return nil
    }
    var rest = bytes[1...]
    func next() -> UInt64 {
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    survivor = UserID(UniqueID(high: next(), low: next()))
    absorbed = UserID(UniqueID(high: next(), low: next()))
    digest = Array(rest.prefix(MergeDigest.bytes))
    rest = rest.dropFirst(MergeDigest.bytes)
    expiresAt = Timestamp(microseconds: Int64(bitPattern: next()))
    random = (next(), next())
    guard survivor != absorbed else { return nil }
  }

  public var text: ExactText { ExactText(Base64URL.encode(bytes)) }

  /// Under which the merge that carried it out is known.
  var sha256: [UInt8] { SHA256.digest(of: bytes) }

  private var bytes: [UInt8] {
    var bytes = [Self.version]
    func add(_ word: UInt64) {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    for user in [survivor, absorbed] {
      add(user.unique.high)
      add(user.unique.low)
    }
    bytes += digest
    add(UInt64(bitPattern: expiresAt.microseconds))
    add(random.0)
    add(random.1)
    return bytes
  }

  public static func == (left: MergePlanToken, right: MergePlanToken) -> Bool { left.bytes == right.bytes }

  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
