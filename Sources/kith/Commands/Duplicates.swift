import API
import Accounts
import JSON
import KithClient
import Terminal

extension Command where Context == CommandContext {
  static let duplicates: Command = Command(
    "duplicates", "Find users who are probably one person",
    details: """
      Compares all users and merges nobody. Each pair comes with a score from 0 to 1,
      the reasons for it, and the command that shows what a merge would do. A high
      --min-score takes less time: what cannot reach it is not looked at.
      """,
    options: [.pairLimit, .minScore]
  ) { context throws(CommandFailure) in
    let search = DuplicateSearch(
      context: context, pairsMax: try context.pairLimit(), scoreMin: try context.minScore())
    let totals = try await context.withClient { client throws(ClientError) in try await search.run(client) }
    search.end(totals)
  }
}

extension OptionDeclaration {
  fileprivate static let pairLimit = OptionDeclaration(
    "limit", .text("N"), "Print so many pairs at most (default: all)")
  fileprivate static let minScore = OptionDeclaration(
    "min-score", .text("S"), "Only pairs with at least this score, as 0.8 (default: all)")
}

extension CommandContext {
  fileprivate func pairLimit() throws(CommandFailure) -> Int {
    guard let text = arguments.value(of: .pairLimit) else { return .max }
    guard let limit = Int(text), limit > 0 else {
      throw CommandFailure(.usage, "--limit is a number from 1, not \"\(text)\"")
    }
    return limit
  }

  fileprivate func minScore() throws(CommandFailure) -> Int {
    guard let text = arguments.value(of: .minScore) else { return 0 }
    guard let score = Double(text), (0...1).contains(score) else {
      throw CommandFailure(.usage, "--min-score is a number from 0 to 1, not \"\(text)\"")
    }
    return Score(atLeast: score).hundredths
  }
}

/// Asks for page after page and prints each pair as it comes, so that any number of them takes no memory.
private struct DuplicateSearch {
  struct Totals {
    var pairs = 0
    var scanned = 0
    var crowded = 0
    var isCutShort = false
  }

  private static let pageItems = 100
  private static let indentation = "  "

  let context: CommandContext
  let pairsMax: Int
  let scoreMin: Int

  func run(_ client: KithClient) async throws(ClientError) -> Totals {
    var totals = Totals()
    var after: ExactText?
    var bar: ProgressBar?
    defer { bar?.clear() }
    repeat {
      let parameters = DuplicateList.Parameters(
        page: Page(limit: Self.pageItems, after: after), minScore: scoreMin == 0 ? nil : Score(hundredths: scoreMin),
        include: [.profile, .emails])
      let page = try await client.call(DuplicateList.self, parameters)
      if let total = page.total { bar = ProgressBar("Comparing", total: total, on: context.console) }
      let shown = page.items.prefix(pairsMax - totals.pairs)
      if !shown.isEmpty { bar?.clear() }
      for pair in shown {
        context.console.writeOutput(context.wantsJSON ? json(pair, isFirst: totals.pairs == 0) : block(pair))
        totals.pairs += 1
      }
      totals.scanned += page.scanned
      totals.crowded += page.crowded
      after = page.next
      if totals.pairs == pairsMax, after != nil || shown.count < page.items.count {
        totals.isCutShort = true
        return totals
      }
      bar?.show(done: totals.scanned)
    } while after != nil && context.console.outputLoss == nil
    return totals
  }

  /// What is said in the end.
  func end(_ totals: Totals) {
    guard !context.wantsJSON else {
      context.console.writeOutput(
        (totals.pairs == 0 ? "{\"items\":[" : "\n")
          + "],\"scanned\":\(totals.scanned),\"crowded\":\(totals.crowded),\"complete\":\(!totals.isCutShort)}\n")
      return
    }
    let pairs = totals.pairs.counted("pair", "pairs")
    var lines = [totals.pairs == 0 ? "nobody is probably somebody else too" : pairs]
    if totals.isCutShort { lines = ["the first \(totals.pairs == 1 ? "pair" : pairs); there may be more"] }
    if totals.crowded > 0 {
      let things = totals.crowded == 1 ? "1 address or name was" : "\(totals.crowded) addresses or names were"
      lines.append("\(things) passed over: more than 20 users share \(totals.crowded == 1 ? "it" : "each")")
    }
    context.console.writeOutput(lines: lines)
  }

  private func json(_ pair: DuplicateShape, isFirst: Bool) -> String {
    var writer = JSONWriter()
    pair.encode(into: &writer)
    return (isFirst ? "{\"items\":[\n" : ",\n") + String(decoding: writer.take(), as: UTF8.self)
  }

  private func block(_ pair: DuplicateShape) -> String {
    let reasons = pair.reasons.map { $0.code.words }.joined(separator: ", ")
    let lines = ["\(context.palette.heading(pair.score.text))  \(reasons)"] + people(pair) + command(pair) + [""]
    return lines.map { $0 + "\n" }.joined()
  }

  /// Both lined up under each other.
  private func people(_ pair: DuplicateShape) -> [String] {
    let table = Table(
      [Table.Column("", widthMin: nil), Table.Column("", widthMin: 6), Table.Column("", widthMin: 12)],
      rows: pair.users.map { user in
        [user.id.description, user.profile?.displayedName ?? "", contact(of: user)]
      })
    let width = context.console.outputWidth.map { max($0 - Self.indentation.count, 1) }
    return table.lines(widthMax: width, palette: context.palette).dropFirst().map { Self.indentation + $0 }
  }

  private func contact(of user: UserShape) -> String {
    let address = user.displayedAddress
    guard user.status == .disabled else { return address }
    return address.isEmpty ? "disabled" : "disabled, \(address)"
  }

  /// Where both ids do not fit into the line, it goes on in the next, for a shell as well.
  private func command(_ pair: DuplicateShape) -> [String] {
    let ids = pair.users.map(\.id.description)
    let words = "\(Self.indentation)kith merge plan \(ids[0])"
    let whole = "\(words) \(ids[ids.count - 1])"
    guard let width = context.console.outputWidth, whole.count > width else { return [context.palette.quiet(whole)] }
    return ["\(words) \\", "\(Self.indentation)\(Self.indentation)\(ids[ids.count - 1])"].map {
      context.palette.quiet($0)
    }
  }
}

extension DuplicateCode {
  /// As it is told to a person.
  fileprivate var words: String {
    switch self {
    case .sameAddress: "same address"
    case .sameMailbox: "same mailbox"
    case .relayAndRealAddress: "same name, one address hidden"
    case .sameNameAndBirthday: "same name and birthday"
    case .sameNameTransliterated: "same name in two scripts"
    }
  }
}
