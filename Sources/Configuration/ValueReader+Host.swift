extension ValueReader {
  /// The largest id; the one above it means "none" to the kernel.
  private static let idMax = 4_294_967_294

  /// The path of a file or folder, from the root.
  func absolutePath() -> String? {
    guard let path = text() else { return nil }
    guard path.utf8.first == UInt8(ascii: "/") else {
      report("must be an absolute path, beginning with \"/\"")
      return nil
    }
    return path
  }

  /// A user of this host, by name or number.
  func uid() -> UInt32? {
    hostID(of: "user", named: surroundings.directory.uid(ofUser:))
  }

  /// A group of this host, by name or number.
  func gid() -> UInt32? {
    hostID(of: "group", named: surroundings.directory.gid(ofGroup:))
  }

  private func hostID(of kind: String, named lookUp: (String) -> UInt32?) -> UInt32? {
    if case .number = value { return wholeNumber(in: 0...Self.idMax).map { UInt32($0) } }
    guard let name = text() else { return nil }
    if name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let id = Int(name), id <= Self.idMax else {
        report("must be a whole number from 0 to \(Self.idMax)")
        return nil
      }
      return UInt32(id)
    }
    guard let id = lookUp(name) else {
      report("this host has no \(kind) \"\(name)\"")
      return nil
    }
    return id
  }
}
