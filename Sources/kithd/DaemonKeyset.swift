import Configuration
import Crypto
import Glibc
import Terminal
import Vault

/// Where the daemon's keyset is: in the configuration, or else beside the embedded database, in a file that the daemon makes.
struct DaemonKeyset {
  private let configured: Keyset?
  private let stateFolder: String

  init(_ configuration: Configuration) {
    configured = configuration.keyset
    stateFolder = configuration.stateFolder
  }

  /// The file that is the daemon's to make; nil where a keyset is configured.
  var ownFile: String? { configured == nil ? stateFolder + "/keyset.json" : nil }

  /// The keys to seal with.
  ///
  /// - Parameter mayMakeFile: whether the daemon's own file is made where there is none: at the first start, and never while
  ///   the daemon seals with keys that stood in it.
  func keyRing(mayMakeFile: Bool) throws(CommandFailure) -> KeyRing {
    let keyset = if let configured { configured } else { try own(mayMakeFile: mayMakeFile) }
    do throws(SealingError) {
      return try KeyRing(keyset, random: .system)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// Reads the daemon's own file, if it is there, and changes nothing.
  func check() throws(CommandFailure) {
    if let ownFile, access(ownFile, F_OK) == 0 { _ = try own(mayMakeFile: false) }
  }

  private func own(mayMakeFile: Bool) throws(CommandFailure) -> Keyset {
    let file = ownFile ?? ""
    do throws(KeysetFileError) {
      if !mayMakeFile || access(file, F_OK) == 0 { return try KeysetFile.read(file) }
      return try KeysetFile.update(file) { (former) throws(KeysetError) in
        if let former { return former }
        return try Keyset.growing(nil, by: nil, random: .system)
      }
    } catch {
      throw CommandFailure(.failed, error.description, hint: "restore it from your backup")
    }
  }
}
