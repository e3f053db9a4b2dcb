/// The members of one object of the configuration.
struct MemberReader {
  let object: ValueReader
  private let readers: [String: ValueReader]

  init(object: ValueReader, readers: [String: ValueReader]) {
    self.object = object
    self.readers = readers
  }

  /// Nil when the key is absent.
  subscript(key: String) -> ValueReader? { readers[key] }

  /// Nil, and reported, when the key is absent.
  func required(_ key: String, hint: String? = nil) -> ValueReader? {
    if let reader = readers[key] { return reader }
    object.report("\"\(key)\" is missing", hint: hint)
    return nil
  }
}
