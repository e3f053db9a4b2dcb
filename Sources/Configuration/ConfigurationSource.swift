import FoundationEssentials

/// Where the configuration comes from, as the command line named it; it can be read again and again.
public struct ConfigurationSource: Hashable, Sendable {
  /// Nil for the default file or, with `isEmbedded`, for the one made for trying out.
  public let file: String?
  /// Whether the daemon runs its own PostgreSQL.
  public let isEmbedded: Bool
  /// An absolute path that stands in for `state_dir`.
  public let stateFolder: String?

  public static let defaultFile = "/etc/kith/kith.json5"

  /// A configuration of ten thousand callers is smaller.
  private static let fileBytesMax = 1 << 20

  public init(file: String? = nil, isEmbedded: Bool = false, stateFolder: String? = nil) {
    self.file = file
    self.isEmbedded = isEmbedded
    self.stateFolder = stateFolder
  }

  /// Whether this is the configuration made for trying out, without any file.
  public var isForTryingOut: Bool { isEmbedded && file == nil }

  /// Reads everything, the credentials and files it names included, and opens no socket and no database.
  ///
  /// - Throws: everything that is wrong with it, not only the first.
  public func load(in surroundings: Surroundings) throws(ConfigurationError) -> Configuration {
    if isForTryingOut {
      return try Configuration(forTryingOutIn: stateFolder ?? surroundings.stateFolder, surroundings)
    }
    let path = file ?? Self.defaultFile
    return try parse(try contents(of: path), named: path, in: surroundings)
  }

  /// The owner's connection string for migrations, or else the daemon's; nil when the file names neither.
  ///
  /// Reads nothing else, so that no credential has to be at hand that only the daemon is given.
  public func migrationDatabase(in surroundings: Surroundings) throws(ConfigurationError) -> Secret? {
    try readAlone(in: surroundings) { ($0.member("migrate_database") ?? $0.member("database"))?.connectionString() }
  }

  /// The path of the administrators' socket; nil when the file names none and the usual one is meant.
  ///
  /// Reads nothing else, as ``migrationDatabase(in:)``.
  public func adminSocket(in surroundings: Surroundings) throws(ConfigurationError) -> String? {
    try readAlone(in: surroundings) { members in
      if let named = members.member("sockets")?.member("admin")?.socketPath() { return named }
      return members.isForEmbeddedAlone ? SocketSettings(folder: members.stateFolder).admin : nil
    }
  }

  /// Whether the file is for `--embedded` alone: without it a database has to be named.
  ///
  /// Reads nothing else, as ``migrationDatabase(in:)``.
  public func namesNoDatabase(in surroundings: Surroundings) throws(ConfigurationError) -> Bool {
    try readAlone(in: surroundings) { $0.isForEmbeddedAlone } ?? false
  }

  /// Where the daemon keeps what must outlive it.
  ///
  /// Reads nothing else, as ``migrationDatabase(in:)``.
  public func stateFolder(in surroundings: Surroundings) throws(ConfigurationError) -> String {
    try readAlone(in: surroundings) { $0.stateFolder } ?? surroundings.stateFolder
  }

  private func readAlone<Value>(
    in surroundings: Surroundings, _ read: (ValueReader) -> Value?
  ) throws(ConfigurationError) -> Value? {
    let path = file ?? Self.defaultFile
    let (value, source) = try decode(try contents(of: path), named: path)
    let findings = Findings(file: path, source: source)
    let found = read(ValueReader(value: value, path: .root, findings: findings, surroundings: surroundings))
    guard findings.problems.isEmpty else { throw findings.error }
    return found
  }

  /// Reads the text of a configuration file.
  ///
  /// - Parameter name: what problems call the file.
  func parse(
    _ text: [UInt8], named name: String, in surroundings: Surroundings
  ) throws(ConfigurationError) -> Configuration {
    let (value, source) = try decode(text, named: name)
    let findings = Findings(file: name, source: source)
    for duplicate in source.duplicates {
      findings.report("stands twice; it stood on line \(duplicate.firstLine)", at: duplicate.path, line: duplicate.line)
    }
    let root = ValueReader(value: value, path: .root, findings: findings, surroundings: surroundings)
    let configuration = Configuration(reading: root, isEmbedded: isEmbedded, stateFolder: stateFolder)
    guard let configuration, findings.problems.isEmpty else { throw findings.error }
    return configuration
  }

  private func contents(of path: String) throws(ConfigurationError) -> [UInt8] {
    do {
      return try HostFile.contents(of: path, bytesMax: Self.fileBytesMax)
    } catch {
      let hint = file == nil ? "name another with --config" : error.hint
      throw problem(error.message, in: path, line: nil, hint: hint)
    }
  }

  private func decode(
    _ text: [UInt8], named name: String
  ) throws(ConfigurationError) -> (ConfigurationValue, SourceMap) {
    guard String(validating: text, as: UTF8.self) != nil else { throw problem("is not UTF-8", in: name, line: nil) }
    let source: SourceMap
    do {
      source = try SourceMap(of: text)
    } catch {
      throw problem(error.message, in: name, line: error.line)
    }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return (try decoder.decode(ConfigurationValue.self, from: Data(text)), source)
    } catch {
      let path = ValuePath(of: error)
      throw problem("is no value of JSON5", in: name, line: path.map(source.line(of:)), path: path)
    }
  }

  private func problem(
    _ message: String, in file: String, line: Int?, path: ValuePath? = nil, hint: String? = nil
  ) -> ConfigurationError {
    ConfigurationError(problems: [
      ConfigurationProblem(file: file, line: line, path: path?.description ?? "", message: message, hint: hint)
    ])
  }
}

extension ValuePath {
  /// Where a decoding stopped; nil when the decoder did not say.
  fileprivate init?(of error: any Error) {
    guard case DecodingError.typeMismatch(_, let context) = error else { return nil }
    self = context.codingPath.reduce(.root) { path, key in
      key.intValue.map(path.appending(index:)) ?? path.appending(key: key.stringValue)
    }
  }
}

/// Of the whole file.
extension ValueReader {
  fileprivate var isForEmbeddedAlone: Bool { member("database") == nil }

  fileprivate var stateFolder: String { member("state_dir")?.absolutePath() ?? surroundings.stateFolder }
}
