import Crypto

/// Why something could not be sealed or opened. Why a record is invalid is not told, for whoever made it so would learn
/// from that.
public enum SealingError: Error, Hashable, Sendable {
  /// The keyset has no key of this id.
  case unknownKey(KeyID)
  /// The key was taken out of use while something was still sealed with it.
  case retiredKey(KeyID)
  /// It was not sealed for this place, or was changed since, or is no sealed record at all.
  case invalid
  /// There is more to seal than a record may hold.
  case tooLarge(bytesMax: Int)
  /// The cryptographic library failed by itself; nothing is known of the record.
  case unavailable

  init(_ error: CryptoError) {
    self = error == .notAuthentic ? .invalid : .unavailable
  }
}

extension SealingError {
  /// Whether it is the record that is wrong, so that it opens another time no more than now. One byte changed in it may
  /// as well name another key.
  public var isOfRecord: Bool {
    switch self {
    case .unknownKey, .retiredKey, .invalid: true
    case .tooLarge, .unavailable: false
    }
  }

  /// What the journal is told of a record that cannot be opened or sealed.
  public func journalText(of record: String) -> String {
    "\(isOfRecord ? "sealed_record_invalid" : "sealing failed"): \(record): \(self)"
  }
}

extension SealingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownKey(let id): "the keyset has no key \"\(id)\""
    case .retiredKey(let id): "key \"\(id)\" is retired"
    case .invalid: "the sealed record is invalid"
    case .tooLarge(let bytesMax): "more than \(bytesMax) bytes cannot be sealed"
    case .unavailable: "the cryptographic library failed"
    }
  }
}
