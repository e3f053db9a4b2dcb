import FoundationEssentials

/// What an address in the configuration must be like.
enum WebAddress {
  /// Longer addresses are cut by browsers and proxies on the way.
  private static let bytesMax = 2048

  /// What is wrong with the address of a provider; nil when nothing is.
  ///
  /// Secrets go there, so they go encrypted, unless they do not leave the host.
  static func problem(ofEndpoint address: String) -> String? {
    guard isPlain(address), let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty else {
      return "must be an absolute URL of at most \(bytesMax) printable ASCII characters"
    }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      return "must be a URL without user, password and \"#\""
    }
    switch parts.scheme?.lowercased() {
    case "https": return nil
    case "http": return isLoopback(host) ? nil : "http:// is allowed to a loopback address only; use https://"
    default: return "must begin with https://"
    }
  }

  /// What is wrong with an address that people are sent back to; nil when nothing is.
  static func problem(ofRedirectURI address: String) -> String? {
    guard isPlain(address) else {
      return "must be an absolute URI of at most \(bytesMax) printable ASCII characters"
    }
    guard !address.utf8.contains(UInt8(ascii: "#")) else { return "must not hold \"#\"" }
    guard hasScheme(address) else { return "must begin with a scheme, as https:// or myapp://" }
    return nil
  }

  /// No blanks, and nothing that two readers could take for different things.
  private static func isPlain(_ address: String) -> Bool {
    (1...bytesMax).contains(address.utf8.count)
      && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  private static func hasScheme(_ address: String) -> Bool {
    let scheme = address.utf8.prefix { $0 != UInt8(ascii: ":") }
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    let others = Set("0123456789+-.".utf8)
    guard let first = scheme.first, letters.contains(first), scheme.allSatisfy(letters.union(others).contains) else {
      return false
    }
    return address.utf8.dropFirst(scheme.count).count > 1
  }

  private static func isLoopback(_ host: String) -> Bool {
    switch host.lowercased() {
    case "localhost", "[::1]", "::1": return true
    default:
      let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
      return numbers.count == 4 && numbers.first == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
  }
}
