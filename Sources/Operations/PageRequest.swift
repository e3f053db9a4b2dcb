import Accounts
import JSON
import Store

/// Which part of a list is wanted.
public struct PageRequest<Key: ListKey>: Sendable {
  let after: Key?
  let limit: Int

  /// The text is none that a page ended with.
  public struct InvalidPlace: Error {}

  /// - Parameters:
  ///   - after: the ``ListPage/next`` of the page before; nil for the first page.
  ///   - limit: items at most, 1-1000; what is beyond counts as the nearer end.
  public init(after: ExactText? = nil, limit: Int) throws(InvalidPlace) {
    if let after {
      guard let key = Key(place: after) else { throw InvalidPlace() }
      self.after = key
    } else {
      self.after = nil
    }
    self.limit = min(max(limit, 1), ListLimits.itemsMax)
  }

  /// One more than the page holds, which shows whether there is another page.
  var probeLimit: Int32 { Int32(limit) + 1 }
}

enum ListLimits {
  /// So many items are still read quickly and fit into one answer.
  static let itemsMax = 1000
}

/// What a list is ordered by; opaque to callers, who hand it back as they got it.
public protocol ListKey: Sendable {
  init?(place: ExactText)
  var place: ExactText { get }
}

extension TypedID {
  public init?(place: ExactText) { self.init(place.string) }
  public var place: ExactText { ExactText(description) }
}

extension UserID: ListKey {}
extension IdentityID: ListKey {}

extension EmailAddress: ListKey {
  /// Only a canonical address is a place.
  public init?(place: ExactText) {
    guard let address = try? EmailAddress(place.string), address.canonical == place else { return nil }
    self = address
  }

  public var place: ExactText { canonical }
}

extension CredentialPlace: ListKey {
  /// Base64, because any character may stand in the names, of each name with the number of its bytes before it.
  public init?(place: ExactText) {
    var text = place.string
    let bytes: [UInt8]? = text.withUTF8 { utf8 in
      let text = UnsafeRawBufferPointer(utf8)
      var isRight = false
      let bytes = [UInt8](unsafeUninitializedCapacity: Base64.byteCount(of: text) ?? 0) { buffer, count in
        isRight = text.count % 4 == 0 && Base64.decode(text, into: UnsafeMutableRawBufferPointer(buffer))
        count = isRight ? buffer.count : 0
      }
      return isRight ? bytes : nil
    }
    guard var rest = bytes?[...] else { return nil }
    var names: [ExactText] = []
    while let count = rest.popFirst() {
      guard count > 0, count <= rest.count, let name = String(validating: rest.prefix(Int(count)), as: UTF8.self) else {
        return nil
      }
      names.append(ExactText(name))
      rest = rest.dropFirst(Int(count))
    }
    guard names.count == 3 else { return nil }
    self.init(accessGroup: names[0], account: names[1], service: names[2])
  }

  public var place: ExactText {
    let bytes = [accessGroup, account, service].flatMap { name in
      [UInt8(truncatingIfNeeded: name.byteCount)] + Array(name.string.utf8)
    }
    return ExactText(
      String(unsafeUninitializedCapacity: Base64.textBytes(for: bytes.count)) { text in
        bytes.withUnsafeBytes { Base64.encode($0, into: UnsafeMutableRawBufferPointer(text)) }
        return Base64.textBytes(for: bytes.count)
      })
  }
}

extension CredentialVersions.Position: ListKey {
  public init?(place: ExactText) {
    guard let number = Int64(place.string), number > 0 else { return nil }
    self.init(number: number)
    guard self.place == place else { return nil }
  }

  public var place: ExactText { ExactText("\(number)") }
}
