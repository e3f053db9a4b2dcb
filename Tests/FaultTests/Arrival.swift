import TestSupport

/// A person who comes by one provider. Who they are is told in the first call and never again.
struct Arrival: Hashable, Sendable {
  /// One whose addresses nobody trusts comes last.
  static let providers = ["apple", "linkedin", "naver"]

  let person: Int
  let provider: String

  /// Whether the address that is told decides whose identity this is.
  var isTrusted: Bool { provider != Self.providers.last }

  func subject(_ tag: String) -> String { "\(DaemonTrial.canary)-\(tag)-\(person)" }

  func name(_ tag: String) -> String { "Mira \(DaemonTrial.canary) \(tag) \(person)" }

  init(person: Int, provider: String) {
    self.person = person
    self.provider = provider
  }

  /// Reads a subject; nil for one of another tag.
  init?(provider: String, subject: String, tag: String) {
    let prefix = "\(DaemonTrial.canary)-\(tag)-"
    guard subject.hasPrefix(prefix), let person = Int(subject.dropFirst(prefix.count)) else { return nil }
    self.init(person: person, provider: provider)
  }

  /// The identity, as members of a call.
  func identity(_ tag: String) -> String { #""provider":"\#(provider)","subject":"\#(subject(tag))""# }

  /// Everything that is told once, as members of a call.
  func details(_ tag: String) -> String {
    #"""
    "email":"\#(DaemonTrial.canary).\#(tag).\#(person)@example.org","email_verified":true,\#
    "name":{"full":"\#(name(tag))"}
    """#
  }
}
