import Accounts
import JSONRPC

/// Lists pairs of users who are probably one person.
public enum DuplicateList: Method {
  public static let name: StaticString = "duplicate.list"
  public static let summary: StaticString = "Lists pairs of users who are probably one person; nothing is merged by it."
  public static let description: StaticString = """
    Goes along what active and disabled users may have in common (addresses, mailboxes, names with a birthday, names), a \
    few thousand a page: a page without pairs may have a next, and only one without next is the last. A pair comes where \
    it is found first, with all its reasons, so what tells most comes roughly first. What more than 20 users share is no \
    reason, and is passed over.
    """
  public static let changes = false
  public static let errors: [ErrorReason] = [.databaseUnavailable]

  public struct Parameters: Shape, Equatable {
    public static let title = "DuplicateListParameters"

    public var page = Page()
    public var minScore: Score?
    public var include: [Include]?

    public init() {}

    public init(page: Page, minScore: Score? = nil, include: [Include]? = nil) {
      self.page = page
      self.minScore = minScore
      self.include = include
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try page.members(&visitor)
      try visitor.member(
        "min_score", &minScore, "Only pairs with at least this score; what cannot reach it is not looked at.")
      try visitor.member("include", &include, .items(0...Include.allCases.count), "What of each user to answer with.")
    }
  }

  public struct Result: Shape, Equatable {
    public static let title = "DuplicateList"

    public var items: [DuplicateShape] = []
    public var next: ExactText?
    public var scanned = 0
    public var total: Int?
    public var crowded = 0

    public init() {}

    public init(items: [DuplicateShape], next: ExactText?, scanned: Int, total: Int?, crowded: Int) {
      self.items = items
      self.next = next
      self.scanned = scanned
      self.total = total
      self.crowded = crowded
    }

    public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
      try visitor.member("items", &items, .items(0...Page.limitMax), "The pairs of this page.")
      try visitor.member("next", &next, .place, "What to give as after for the next page; absent on the last.")
      try visitor.member("scanned", &scanned, .count, "How many addresses and names this page went past.")
      try visitor.member(
        "total", &total, .count, "About how many all pages go past; only on the first, if the database knows.")
      try visitor.member(
        "crowded", &crowded, .count,
        "How many addresses, mailboxes and names were passed over because more than 20 users share each.")
    }
  }
}

/// Two users who are probably one person.
public struct DuplicateShape: Shape, Equatable {
  public static let title = "Duplicate"

  public var users: [UserShape] = []
  public var score = Score(hundredths: 0)
  public var reasons: [DuplicateReasonShape] = []

  public init() {}

  public init(users: [UserShape], score: Score, reasons: [DuplicateReasonShape]) {
    self.users = users
    self.score = score
    self.reasons = reasons
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("users", &users, .items(2...2), "The two, the older first.")
    try visitor.member("score", &score, "How probably they are one, from 0 to 1.")
    try visitor.member("reasons", &reasons, .items(1...DuplicateCode.allCases.count), "Why, the strongest first.")
  }
}

/// One reason to take two users for one.
public struct DuplicateReasonShape: Shape, Equatable {
  public static let title = "DuplicateReason"

  public var code = DuplicateCode.sameAddress
  public var message: ExactText = ""

  public init() {}

  public init(_ code: DuplicateCode, _ message: ExactText) {
    self.code = code
    self.message = message
  }

  public mutating func members<V: MemberVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.member("code", &code, "What it is, for programs.")
    try visitor.member("message", &message, .text(bytes: 1...2000), "The same as a sentence for a person.")
  }
}

/// What kind of thing makes two users probably one.
public enum DuplicateCode: String, WireWord {
  case sameAddress = "same_address"
  case sameMailbox = "same_mailbox"
  case relayAndRealAddress = "relay_and_real_address"
  case sameNameAndBirthday = "same_name_and_birthday"
  case sameNameTransliterated = "same_name_transliterated"
}
