import Accounts
import Postgres

/// The next keys of one kind that several users share, in the order of the kind's index.
///
/// A page reads so many entries of that index, groups them by key, and answers only the few keys that 2 to ``sharersMax``
/// users have: what more have says nothing, and is told as crowded. Of a key that goes on beyond the page nothing is told
/// unless it is crowded already; then the next page begins behind it, however many more have it. Whether two who share a
/// key are probably one is decided by whoever asks: here they are only found.
public enum FindSharers {
  /// More users than this share a name or a mailbox by chance, or because it is made up. The statements have this number
  /// and the next in them.
  public static let sharersMax = 20
  /// More addresses than this of one mailbox make it crowded as well, so that few users cannot fill a page with one. In the
  /// statements.
  static let mailboxAddressesMax = 400
  /// Entries of a page at most: some milliseconds of a connection that others share. In the statements.
  static let entriesMax: Int64 = 4000
  /// Entries of a page that goes on where one was full of pairs: more are likely to be read in vain. A page has to be longer
  /// than any key that is not crowded.
  static let entriesAmongPairs: Int64 = 500

  /// Where to begin.
  public struct Start: Hashable, Sendable {
    public let kind: DuplicateKey.Kind
    /// Any text; the empty one is before all keys.
    public let text: ExactText
    /// Whether the key itself has been dealt with, and what comes after it is wanted.
    public let isBehind: Bool
    /// How many entries to read at most.
    let entries: Int64

    /// - Parameter isAmongPairs: whether the page before ended here because it was full of pairs.
    public init(kind: DuplicateKey.Kind, text: ExactText = "", isBehind: Bool = true, isAmongPairs: Bool = false) {
      self.kind = kind
      self.text = text
      self.isBehind = isBehind
      entries = isAmongPairs ? entriesAmongPairs : entriesMax
    }

    /// Whoever has the key has an id between these two.
    var user: UniqueID {
      isBehind ? UniqueID(high: .max, low: .max) : UniqueID(high: 0, low: 0)
    }
  }

  public enum Row: Sendable {
    /// Users who share a key, and how many entries of the page come before it.
    case shared(ExactText, [UserID], place: Int)
    /// A key that too many share, and how many entries of the page come before it.
    case crowded(place: Int)
    /// The last row: how many entries the page is done with, and where the next one begins; nil when there are no more.
    case end(entries: Int, next: (text: ExactText, isBehind: Bool)?)
  }

  public static func statement(of kind: DuplicateKey.Kind) -> Statement<Start, Row> {
    switch kind {
    case .address: ofAddresses
    case .mailbox: ofMailboxes
    case .nameAndBirthday: ofNamesAndBirthdays
    case .name: ofNames
    }
  }

  /// Of rows `place, key, users, is_crowded`: a crowded key has no users, the last row has none either and is crowded when
  /// the next page is to begin behind its key.
  @Sendable static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let place = try row.integer(Int.self)
    let key = try row.optionalExactText()
    let users = try row.uuids().map { UserID(UniqueID(high: $0.high, low: $0.low)) }
    let (isCrowded, isEnd) = (try row.bool(), try row.bool())
    guard !isEnd else { return .end(entries: place, next: key.map { ($0, isCrowded) }) }
    return isCrowded ? .crowded(place: place) : .shared(try row.require(key), users, place: place)
  }
}
