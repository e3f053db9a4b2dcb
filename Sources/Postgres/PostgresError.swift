import CLibPQ

/// Everything that can go wrong between us and PostgreSQL, by what a caller can do about it.
///
/// Messages may name hosts, tables and values: they are for the journal, never for a peer.
public enum PostgresError: Error, Sendable {
  /// No connection could be had; nothing was sent.
  case unavailable(String)
  /// The connection broke before anything could have been committed: nothing happened.
  case connectionLost(String)
  /// The connection broke after COMMIT was sent: whether it happened has to be found out.
  case commitUnknown(String)
  /// PostgreSQL, or every host of it that could be reached, takes no changes now: it is a standby, or set to read only.
  /// Nothing happened.
  case readOnly(String)
  /// PostgreSQL refused a statement; its transaction is rolled back or will be.
  case server(ServerError)
  /// An answer did not have the shape the statement promises: ours or the schema's fault.
  case unexpectedAnswer(String)
}

extension PostgresError {
  /// What the refusal of a statement means.
  init(_ refusal: ServerError) {
    self = refusal.state == .readOnlyTransaction ? .readOnly(refusal.message) : .server(refusal)
  }
}

/// An error as PostgreSQL reports it.
public struct ServerError: Sendable {
  public let state: SQLState
  public let message: String
  public let detail: String?
  public let table: String?
  /// The violated constraint's name.
  public let constraint: String?
  /// Whether the session ended with it.
  let endsSession: Bool

  init(_ result: OpaquePointer?) {
    func field(_ code: Int) -> String? {
      PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
    state = SQLState(field(KITH_DIAG_SQLSTATE) ?? "XX000")
    message = field(KITH_DIAG_MESSAGE) ?? ""
    detail = field(KITH_DIAG_DETAIL)
    table = field(KITH_DIAG_TABLE)
    constraint = field(KITH_DIAG_CONSTRAINT)
    endsSession = state.meansConnectionLost || ["FATAL", "PANIC"].contains(field(KITH_DIAG_SEVERITY))
  }
}

/// A five-character SQLSTATE (PostgreSQL manual, appendix A).
public struct SQLState: Hashable, Sendable, CustomStringConvertible {
  public let code: String

  public init(_ code: String) {
    self.code = code
  }

  public static let uniqueViolation = SQLState("23505")
  public static let insufficientPrivilege = SQLState("42501")
  public static let undefinedTable = SQLState("42P01")
  public static let invalidSchemaName = SQLState("3F000")
  public static let serializationFailure = SQLState("40001")
  public static let deadlockDetected = SQLState("40P01")
  public static let lockNotAvailable = SQLState("55P03")
  public static let queryCanceled = SQLState("57014")
  public static let readOnlyTransaction = SQLState("25006")

  /// The first two characters: the class of the condition.
  public var conditionClass: Substring { code.prefix(2) }

  /// The server is going away or not yet there (class 57P), or says that the connection broke (class 08).
  public var meansConnectionLost: Bool {
    code.hasPrefix("57P") || conditionClass == "08"
  }

  /// Disk full, out of memory, too many connections (class 53).
  public var isDiskFull: Bool { code == "53100" }

  public var description: String { code }
}

extension PostgresError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let why): "PostgreSQL cannot be reached: \(why)"
    case .connectionLost(let why): "the connection to PostgreSQL broke: \(why)"
    case .commitUnknown(let why): "the connection to PostgreSQL broke at COMMIT: \(why)"
    case .readOnly(let why): "PostgreSQL is read-only: \(why)"
    case .server(let error):
      "PostgreSQL refused: \(error.message) (SQLSTATE \(error.state)"
        + (error.constraint.map { ", constraint \($0)" } ?? "") + ")"
    case .unexpectedAnswer(let what): "PostgreSQL answered unexpectedly: \(what)"
    }
  }
}
