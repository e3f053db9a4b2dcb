/// One SQL statement with how its parameters are written and its rows are read.
///
/// `sql` is a whole literal, never assembled; each parameter's type is given by a cast.
public struct Statement<Input, Row>: Sendable {
  /// The name under which a connection prepares it; unique in the program.
  public let name: String
  public let sql: StaticString
  let encode: @Sendable (Input, inout Parameters) -> Void
  let decode: @Sendable (inout RowReader) throws(PostgresError) -> Row

  public init(
    _ name: String, _ sql: StaticString,
    encode: @escaping @Sendable (Input, inout Parameters) -> Void,
    decode: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Row
  ) {
    self.name = name
    self.sql = sql
    self.encode = encode
    self.decode = decode
  }
}

extension Statement where Row == Void {
  /// A statement whose rows, if any, nobody reads.
  public init(
    _ name: String, _ sql: StaticString, encode: @escaping @Sendable (Input, inout Parameters) -> Void
  ) {
    self.init(name, sql, encode: encode) { _ in }
  }
}

extension Statement where Input == Void {
  /// A statement without parameters.
  public init(
    _ name: String, _ sql: StaticString,
    decode: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Row
  ) {
    self.init(name, sql, encode: { _, _ in }, decode: decode)
  }
}

/// Statements that travel to PostgreSQL together and share one fate: an error in one undoes those before it and skips those
/// after it.
public struct Pipeline: Sendable {
  struct Step: Sendable {
    let name: String
    let sql: StaticString
    let parameters: Parameters
  }

  /// Where the rows of one statement will be found.
  public struct Slot<Row>: Sendable {
    let index: Int
    let decode: @Sendable (inout RowReader) throws(PostgresError) -> Row
  }

  private(set) var steps: [Step] = []

  public init() {}

  private static let oneMoment = Statement<Void, Void>(
    "one_moment", "set transaction_isolation = 'repeatable read'"
  ) { _, _ in }

  /// One whose statements all see the database as it was when the first of them began, whatever others commit meanwhile. Only
  /// for reading, and only for a pipeline that is a transaction of its own.
  public static var ofOneMoment: Pipeline {
    var pipeline = Pipeline()
    pipeline.add(oneMoment)
    return pipeline
  }

  public var isEmpty: Bool { steps.isEmpty }

  @discardableResult
  public mutating func add<Input, Row>(_ statement: Statement<Input, Row>, _ input: Input) -> Slot<Row> {
    var parameters = Parameters()
    statement.encode(input, &parameters)
    steps.append(Step(name: statement.name, sql: statement.sql, parameters: parameters))
    return Slot(index: steps.count - 1, decode: statement.decode)
  }

  /// Adds a statement that neither takes parameters nor gives rows, such as BEGIN.
  mutating func add(_ statement: Statement<Void, Void>) {
    add(statement, ())
  }

  /// Adds the statements of another one after these.
  public mutating func append(_ other: Pipeline) {
    steps.append(contentsOf: other.steps)
  }
}

/// What a pipeline gave, statement by statement.
public struct PipelineResults: Sendable {
  private let results: [QueryResult]
  /// Statements that the transaction put before the caller's own.
  private let offset: Int

  init(_ results: [QueryResult], offset: Int = 0) {
    self.results = results
    self.offset = offset
  }

  /// Whether the last statement was a COMMIT that committed.
  var endInCommit: Bool { results.last?.isCommit ?? false }

  func skipping(_ count: Int) -> PipelineResults {
    PipelineResults(results, offset: offset + count)
  }

  public func rows<Row>(of slot: Pipeline.Slot<Row>) throws(PostgresError) -> [Row] {
    let result = try result(of: slot)
    var rows: [Row] = []
    rows.reserveCapacity(result.rowCount)
    try result.forEachRow { row throws(PostgresError) in rows.append(try slot.decode(&row)) }
    return rows
  }

  /// Decodes one row after the other.
  public func forEachRow<Row>(of slot: Pipeline.Slot<Row>, _ body: (Row) -> Void) throws(PostgresError) {
    try result(of: slot).forEachRow { row throws(PostgresError) in body(try slot.decode(&row)) }
  }

  public func first<Row>(of slot: Pipeline.Slot<Row>) throws(PostgresError) -> Row? {
    let result = try result(of: slot)
    guard result.rowCount > 0 else { return nil }
    var reader = result.reader(row: 0)
    return try slot.decode(&reader)
  }

  /// How many rows the statement changed.
  public func affectedCount<Row>(of slot: Pipeline.Slot<Row>) throws(PostgresError) -> Int {
    try result(of: slot).affectedCount
  }

  private func result<Row>(of slot: Pipeline.Slot<Row>) throws(PostgresError) -> QueryResult {
    guard slot.index + offset < results.count else { throw .unexpectedAnswer("a statement gave no result") }
    return results[slot.index + offset]
  }
}
