import Accounts
import Glibc
import Vault

/// Something in the spool that cannot be used, to be told in the journal. Everything beside it can.
public struct SpoolProblem: Error, Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// An entry that does not open, or the held registration that it adds to.
    case sealed(RegistrationID, SealingError)
    /// An entry that opens, but into nothing that this version knows.
    case unknownContent(RegistrationID)
    /// Bytes that are no entry, in the place of so many.
    case damaged(missing: Int)
    /// The file ends before it holds all that it says, because its writer was ended; it lacks so many entries, nil when
    /// not even that can be told. Nobody was told that those were kept.
    case torn(missing: Int?)
    /// The file is none of the spool's, or of another version.
    case unknownFormat
    /// Files are for another database than the one that is served.
    case otherDatabase(UniqueID)
    /// It says no id of a database, where it should.
    case noDatabaseID
    /// A link, no regular file, or somebody else's.
    case notOurs
    /// `code` is the system's error number.
    case unreadable(code: Int32)
    /// Somebody removed the file.
    case gone
  }

  /// The name in the spool's folder.
  public let file: String
  public let kind: Kind

  public init(file: String, kind: Kind) {
    self.file = file
    self.kind = kind
  }

  /// Whether there may be something in the file that is worth looking after by hand.
  var isToBeSetAside: Bool {
    switch kind {
    case .sealed, .unknownContent, .damaged, .unknownFormat: true
    case .torn, .otherDatabase, .noDatabaseID, .notOurs, .unreadable, .gone: false
    }
  }

  /// Whether the file is to stay as it is.
  var isToBeLeft: Bool {
    switch kind {
    case .otherDatabase, .notOurs, .unreadable: true
    case .sealed, .unknownContent, .damaged, .torn, .unknownFormat, .noDatabaseID, .gone: false
    }
  }
}

extension SpoolProblem: CustomStringConvertible {
  public var description: String { "\(file): \(kind)" }
}

extension SpoolProblem.Kind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sealed(let id, let error): error.journalText(of: "registration \(id)")
    case .unknownContent(let id): "registration \(id) is of an unknown form"
    case .damaged(let missing): "it is damaged; \(missing) entries cannot be told from it"
    case .torn(let missing?): "its writer was ended before \(missing) more entries were in it"
    case .torn(nil): "its writer was ended before anything was in it"
    case .unknownFormat: "it is no file of the spool, or of another version of Kith"
    case .otherDatabase(let id): "it is for the database \(id)"
    case .noDatabaseID: "it has no id of a database"
    case .notOurs: "it is not a regular file of ours"
    case .unreadable(let code): String(cString: strerror(code))
    case .gone: "it was removed by somebody else"
    }
  }
}
