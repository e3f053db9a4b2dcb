import Glibc
import JSON
import Terminal
import Vault

/// The keyset file of a command, and what is told once it is changed.
struct KeysetArgument {
  static let reload = "systemctl reload kithd"
  static let restart = "systemctl restart kithd"

  let path: String
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
    path = context.arguments.value(of: .keyset) ?? ""
  }

  /// The id that an option names; nil when it was not given.
  func keyID(_ option: OptionDeclaration) throws(CommandFailure) -> KeyID? {
    guard let text = context.arguments.value(of: option) else { return nil }
    guard let id = KeyID(text) else {
      throw CommandFailure(
        .usage, "--id cannot be \"\(text)\"",
        hint: "it has 1 to \(KeyID.bytesMax) letters, digits, \".\", \"_\" and \"-\"")
    }
    return id
  }

  // MARK: The file

  func read() throws(CommandFailure) -> Keyset {
    do throws(KeysetFileError) {
      return try KeysetFile.read(path, owner: owner)
    } catch {
      throw failure(error)
    }
  }

  /// Tries a change out.
  func check(_ change: (Keyset) throws(KeysetError) -> Keyset) throws(CommandFailure) {
    let keyset = try read()
    do throws(KeysetError) {
      _ = try change(keyset)
    } catch {
      throw failure(.keyset(path: path, error))
    }
  }

  func update(_ change: (Keyset?) throws(KeysetError) -> Keyset) throws(CommandFailure) -> Keyset {
    do throws(KeysetFileError) {
      return try KeysetFile.update(path, owner: owner, change)
    } catch {
      throw failure(error)
    }
  }

  /// Root may change the keyset of a daemon that is not root.
  private var owner: uid_t {
    var status = stat()
    guard geteuid() == 0, stat(path, &status) == 0 else { return geteuid() }
    return status.st_uid
  }

  private func failure(_ error: KeysetFileError) -> CommandFailure {
    switch error {
    case .failed(let missing, let code) where code == ENOENT:
      CommandFailure(
        .failed, "\(error)",
        hint: missing.utf8.elementsEqual(path.utf8)
          ? "make it with: kith key add --keyset FILE" : "make the folder first: install -d -m 0700 \(missing)")
    case .failed(_, let code) where code == EACCES || code == EPERM:
      CommandFailure(.failed, "\(error)", hint: "run as root, or as the user whom the file belongs to")
    case .failed, .notRegular, .wrongOwner: CommandFailure(.failed, "\(error)")
    case .notPrivate(let path, _): CommandFailure(.failed, "\(error)", hint: "chmod 0600 \(path)")
    case .busy: CommandFailure(.tryAgain, "\(error)", hint: "try again in a moment")
    case .keyset(let path, let error): CommandFailure(.failed, "\(path): \(error)", hint: Self.hint(for: error))
    }
  }

  private static func hint(for error: KeysetError) -> String? {
    switch error.problem {
    case .noSuchKey, .alreadyPrimary, .alreadyRetired, .primaryCannotRetire: nil
    case .idTwice: "take another --id"
    case .tooManyKeys: "take retired ones out of the file that no backup of the database needs any more"
    case .noRandomBytes: nil
    default: "restore it from your backup"
    }
  }

  // MARK: What is told

  /// Prints what was done and what to do next; for programs, the keys without what they are.
  func tell(_ keyset: Keyset, changed key: KeyID, _ words: String...) {
    if context.wantsJSON {
      context.write(json: json(keyset, changed: key))
    } else {
      context.console.writeOutput(
        lines: words.flatMap { context.lines($0) }
          + context.lines(
            "Now have every daemon read it: \(Self.reload)",
            "Where its unit hands it over (LoadCredential=): \(Self.restart)"))
    }
  }

  private func json(_ keyset: Keyset, changed key: KeyID) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("keyset")
    writer.string(path)
    writer.member("changed")
    writer.string("\(key)")
    writer.member("keys")
    writer.beginArray()
    for key in keyset.keys {
      writer.beginObject()
      writer.member("id")
      writer.string("\(key.id)")
      writer.member("state")
      writer.string(key.state.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
