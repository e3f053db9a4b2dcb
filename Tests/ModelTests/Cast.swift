/// Who signs in within a world: a few of each kind, so that they meet.
enum Subject: Int, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case apple, linkedin, naver, password, otherApple

  var provider: String {
    switch self {
    case .apple, .otherApple: "apple"
    case .linkedin: "linkedin"
    case .naver: "naver"
    case .password: "password"
    }
  }

  /// Whether the provider's word that an address is verified counts.
  var isTrusted: Bool {
    switch self {
    case .apple, .otherApple, .linkedin: true
    case .naver, .password: false
    }
  }

  var isPassword: Bool { self == .password }

  var description: String { self == .otherApple ? "apple2" : provider }

  static func < (left: Subject, right: Subject) -> Bool { left.rawValue < right.rawValue }
}

/// An address of a world.
enum Address: Int, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case first, second, third

  var description: String { "a\(rawValue + 1)" }

  static func < (left: Address, right: Address) -> Bool { left.rawValue < right.rawValue }
}

/// What a provider says of somebody's address.
struct Report: Hashable, Sendable, CustomStringConvertible {
  var address: Address
  var isVerified: Bool

  init(_ address: Address, verified: Bool) {
    self.address = address
    isVerified = verified
  }

  /// Whether it proves the address, coming from the provider of this subject.
  func isProof(from subject: Subject) -> Bool { isVerified && subject.isTrusted }

  var description: String { isVerified ? "\(address) verified" : "\(address)" }
}
