import Accounts
import Crypto

/// A text of the configuration, which may stand elsewhere: `credential:NAME` or `file:PATH`.
enum TextReference: Equatable {
  case inline(String)
  case credential(name: String)
  case file(path: String)

  /// Keys, certificates and passwords are far smaller.
  static let contentBytesMax = 64 * 1024

  init(_ text: String) {
    if let name = text.dropping(prefix: "credential:") {
      self = .credential(name: name)
    } else if let path = text.dropping(prefix: "file:") {
      self = .file(path: path)
    } else {
      self = .inline(text)
    }
  }

  /// The text itself, without the line end that editors put after it.
  func resolve(in surroundings: Surroundings) throws(HostFile.Failure) -> SecretBytes {
    switch self {
    case .inline(let text): return SecretBytes(copying: text.utf8)
    case .credential(let name): return try Self.trimmed(Self.credential(named: name, in: surroundings))
    case .file(let path): return try Self.trimmed(Self.privateFile(at: path, in: surroundings))
    }
  }

  private static func credential(
    named name: String, in surroundings: Surroundings
  ) throws(HostFile.Failure) -> SecretBytes {
    guard isFileName(name) else { throw HostFile.Failure(message: "\"credential:\(name)\" names no credential") }
    guard let folder = surroundings.folder(in: "CREDENTIALS_DIRECTORY") else {
      throw HostFile.Failure(
        message: "the credential \"\(name)\" cannot be read: CREDENTIALS_DIRECTORY is not set",
        hint: "systemd sets it for a unit with LoadCredential=\(name):…", isWithoutCredentials: true)
    }
    return try contents(of: "\(folder)/\(name)", calledBy: "the credential \"\(name)\"", owner: nil)
  }

  private static func privateFile(
    at path: String, in surroundings: Surroundings
  ) throws(HostFile.Failure) -> SecretBytes {
    guard path.hasPrefix("/") else {
      throw HostFile.Failure(message: "the file \"\(path)\" is named by a relative path", hint: "begin it with \"/\"")
    }
    return try contents(of: path, calledBy: "the file \"\(path)\"", owner: surroundings.effectiveUID)
  }

  private static func contents(
    of path: String, calledBy name: String, owner: UInt32?
  ) throws(HostFile.Failure) -> SecretBytes {
    do {
      return try HostFile.secret(of: path, bytesMax: contentBytesMax, privateTo: owner)
    } catch {
      throw HostFile.Failure(message: "\(name) \(error.message)", hint: error.hint)
    }
  }

  private static func trimmed(_ bytes: SecretBytes) -> SecretBytes {
    let count = bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
      if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
      return rest.count
    }
    return bytes.prefix(count)
  }

  private static func isFileName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...255).contains(bytes.count) && ![".", ".."].contains(ExactText(name))
      && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
  }
}

extension String {
  /// The rest after a prefix of the same bytes; nil without it.
  func dropping(prefix: String) -> String? {
    utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
  }
}
