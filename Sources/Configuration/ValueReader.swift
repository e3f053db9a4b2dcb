import Accounts
import Crypto
import Spelling

/// One value of the configuration with its place; says what the value should be, and reports when it is not.
///
/// A reading that fails has been reported and answers nil; the caller goes on, so that all problems are found.
struct ValueReader {
  let value: ConfigurationValue
  let path: ValuePath
  let findings: Findings
  let surroundings: Surroundings

  func report(_ message: String, hint: String? = nil) {
    findings.report(message, at: path, hint: hint)
  }

  private func reportKind(expected: String, hint: String? = nil) {
    if case .null = value {
      report("null is no value; leave the key out", hint: hint)
    } else {
      report("expected \(expected), found \(value.kind)", hint: hint)
    }
  }

  // MARK: Single values

  func flag() -> Bool? {
    if case .flag(let flag) = value { return flag }
    reportKind(expected: "true or false")
    return nil
  }

  func number(above minimum: Double, through maximum: Double) -> Double? {
    guard case .number(let number) = value else {
      reportKind(expected: "a number")
      return nil
    }
    guard number > minimum, number <= maximum else {
      report("must be more than \(plain(minimum)) and at most \(plain(maximum))")
      return nil
    }
    return number
  }

  func wholeNumber(in range: ClosedRange<Int>) -> Int? {
    guard case .number(let number) = value else {
      reportKind(expected: "a whole number")
      return nil
    }
    guard let whole = Int(exactly: number), range.contains(whole) else {
      report("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return whole
  }

  /// Text of one line, from wherever it is kept.
  func text() -> String? {
    guard let bytes = resolvedText() else { return nil }
    guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
      report("is not UTF-8")
      return nil
    }
    guard !text.isEmpty else {
      report("must not be empty")
      return nil
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      report("must not hold control characters")
      return nil
    }
    return text
  }

  /// Text of one line that is compared by its bytes.
  func exactText() -> ExactText? { text().map { ExactText($0) } }

  /// Text that must not be seen, from wherever it is kept.
  func secret() -> Secret? {
    guard let bytes = resolvedText() else { return nil }
    guard bytes.count > 0 else {
      report("must not be empty")
      return nil
    }
    // It goes on to C libraries, for which it would end at the first zero.
    guard !bytes.withUnsafeBytes({ $0.contains(0) }) else {
      report("must not hold U+0000")
      return nil
    }
    return Secret(bytes)
  }

  private func resolvedText() -> SecretBytes? {
    guard case .text(let text) = value else {
      reportKind(expected: "text in quotes")
      return nil
    }
    do {
      return try TextReference(text).resolve(in: surroundings)
    } catch {
      findings.report(error, at: path)
      return nil
    }
  }

  /// One of the texts that an enum has as its raw values.
  func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> Choice? where Choice.RawValue == String {
    guard let text = text() else { return nil }
    if let choice = Choice.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) { return choice }
    let known = Choice.allCases.map(\.rawValue)
    report("must be one of \(quoted(known))", hint: suggestion(for: text, among: known))
    return nil
  }

  // MARK: Values that hold others

  /// Every item, whether it is what it should be or not.
  func items() -> [ValueReader]? {
    guard case .list(let list) = value else {
      reportKind(expected: "a list in [ ]")
      return nil
    }
    return list.enumerated().map { reader(of: $0.element, at: path.appending(index: $0.offset)) }
  }

  /// The items of a list that read well; the others have been reported.
  func items<Item>(_ read: (ValueReader) -> Item?) -> [Item]? {
    items()?.compactMap(read)
  }

  /// The members of an object, of which only the named ones may exist.
  func members(_ known: [String]) -> MemberReader? {
    guard case .object(let members) = value else {
      reportKind(expected: "an object in { }")
      return nil
    }
    for key in members.keys where !known.contains(key) {
      findings.report(
        "unknown key", at: path.appending(key: key),
        hint: suggestion(for: key, among: known) ?? "known here: \(known.joined(separator: ", "))")
    }
    return MemberReader(
      object: self,
      readers: members.reduce(into: [:]) { $0[$1.key] = reader(of: $1.value, at: path.appending(key: $1.key)) })
  }

  /// One member of an object, whatever the others are; nil when there is none.
  func member(_ key: String) -> ValueReader? {
    guard case .object(let members) = value, let member = members[key] else { return nil }
    return reader(of: member, at: path.appending(key: key))
  }

  /// One member of an object, whatever the others are; nil, and reported, when there is none.
  func requiredMember(_ key: String) -> ValueReader? {
    guard case .object(let members) = value else {
      reportKind(expected: "an object in { }")
      return nil
    }
    guard let member = members[key] else {
      report("\"\(key)\" is missing")
      return nil
    }
    return reader(of: member, at: path.appending(key: key))
  }

  private func reader(of value: ConfigurationValue, at path: ValuePath) -> ValueReader {
    ValueReader(value: value, path: path, findings: findings, surroundings: surroundings)
  }

  /// What somebody most likely meant, as a hint; nil when nothing known is near.
  func suggestion(for word: String, among known: [String]) -> String? {
    Spelling.nearest(to: word, among: known).map { "did you mean \"\($0)\"?" }
  }

  private func quoted(_ words: [String]) -> String {
    words.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  private func plain(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}
