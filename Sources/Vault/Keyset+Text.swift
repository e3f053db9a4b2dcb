import Accounts
import Crypto
import JSON

extension Keyset {
  /// ``keysMax`` keys with long ids and room for blanks.
  public static let textBytesMax = 32 * 1024

  /// Keyset, list of keys, key, and some more, so that it can be said what is wrong.
  private static let nestingMax = 8

  /// Reads the text of a keyset: `{"version": 1, "keys": [{"id": "k1", "key": "<32 bytes, base64>", "state": "primary"}]}`.
  public init(reading text: SecretBytes) throws(KeysetError) {
    guard text.count <= Self.textBytesMax else { throw KeysetError(.tooLarge(bytesMax: Self.textBytesMax)) }
    let parser = JSONParser()
    defer { parser.wipe() }
    self = try text.withUnsafeBytes { (bytes) throws(KeysetError) in
      let lines = Lines(bytes)
      let root: JSONValue
      do throws(JSONError) {
        root = try parser.parse(bytes, nestingMax: Self.nestingMax)
      } catch {
        switch error {
        case .malformed(let offset): throw KeysetError(.notJSON, line: lines.number(at: offset))
        case .duplicateName(let offset): throw KeysetError(.memberTwice, line: lines.number(at: offset))
        case .tooDeep: throw KeysetError(.notAnObject)
        }
      }
      return try Keyset(root, lines)
    }
  }

  private init(_ root: JSONValue, _ lines: Lines) throws(KeysetError) {
    guard root.isObject else { throw KeysetError(.notAnObject, line: lines.number(at: root.offset)) }
    for (name, _) in root.members where !name.equals("version") && !name.equals("keys") {
      throw KeysetError(.unknownMember, line: lines.number(at: name.offset))
    }
    guard let version = root.member("version")?.integer, version == Self.version else {
      throw KeysetError(.versionUnknown, line: root.member("version").map { lines.number(at: $0.offset) })
    }
    guard let list = root.member("keys"), list.isArray, list.count > 0 else {
      throw KeysetError(.noKeys, line: root.member("keys").map { lines.number(at: $0.offset) })
    }
    var keys: [RootKey] = []
    for entry in list.elements {
      let key = try RootKey(entry, lines)
      // Here and not only at the end, because here the line is known.
      try Self.check(key, against: keys[...], line: lines.number(at: entry.offset))
      keys.append(key)
    }
    try self.init(keys)
  }
}

extension RootKey {
  fileprivate init(_ entry: JSONValue, _ lines: Lines) throws(KeysetError) {
    let line = lines.number(at: entry.offset)
    guard entry.isObject else { throw KeysetError(.notAnObject, line: line) }
    guard let id = entry.member("id")?.withUTF8({ KeyID($0) }) ?? nil else { throw KeysetError(.idInvalid, line: line) }
    for (name, _) in entry.members where !name.equals("id") && !name.equals("key") && !name.equals("state") {
      throw KeysetError(.unknownMember, key: id, line: lines.number(at: name.offset))
    }
    guard let text = entry.member("key"), text.isString,
      let key = Base64.decode(UnsafeRawBufferPointer(rebasing: text.raw.dropFirst().dropLast()), for: .process)
    else { throw KeysetError(.keyNotBase64, key: id, line: line) }
    guard let state = State.allCases.first(where: { entry.member("state")?.hasText($0.rawValue) == true }) else {
      throw KeysetError(.stateUnknown, key: id, line: line)
    }
    self.init(id: id, key: key, state: state)
  }
}

extension JSONValue {
  fileprivate func hasText(_ text: String) -> Bool {
    withUTF8 { $0.elementsEqual(text.utf8) } ?? false
  }
}

/// Tells on which line a byte of the text stands.
private struct Lines {
  private let text: UnsafeRawBufferPointer

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  func number(at offset: Int) -> Int {
    text.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
  }
}

extension Keyset {
  /// The text of the keyset, a line for each key.
  public var text: SecretBytes {
    let pieces = keys.map { key in
      (
        before: Array("    {\"id\": \"\(key.id)\", \"key\": \"".utf8), key: Base64.encode(key.key),
        after: Array("\", \"state\": \"\(key.state.rawValue)\"}".utf8)
      )
    }
    let head = Array("{\n  \"version\": \(Self.version),\n  \"keys\": [\n".utf8)
    let tail = Array("\n  ]\n}\n".utf8)
    let separator = Array(",\n".utf8)
    let count = pieces.reduce(head.count + tail.count + separator.count * (pieces.count - 1)) {
      $0 + $1.before.count + $1.key.count + $1.after.count
    }
    return SecretBytes(count: count) { text in
      // Written into its place piece by piece, because an array that grows leaves copies behind.
      var end = 0
      func append(_ bytes: some Collection<UInt8>) {
        UnsafeMutableRawBufferPointer(rebasing: text[end...]).copyBytes(from: bytes)
        end += bytes.count
      }
      append(head)
      for (position, piece) in pieces.enumerated() {
        if position > 0 { append(separator) }
        append(piece.before)
        piece.key.withUnsafeBytes { append($0) }
        append(piece.after)
      }
      append(tail)
    }
  }
}
