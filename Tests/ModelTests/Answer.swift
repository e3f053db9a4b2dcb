/// What a daemon answered, or the model would have, as far as the two are compared: without times and texts for people.
struct Answer: Hashable, Sendable {
  /// An identity as it is told.
  struct Identity: Hashable, Sendable {
    var id: Name
    var subject: Subject
    var user: Name
    var linkedBy: String
    var report: Report?
  }

  /// An address of a user as it is told.
  struct Email: Hashable, Sendable {
    var isVerified: Bool
    var vouchers: Set<Name>
    var isProvedByToken: Bool
  }

  struct Candidate: Hashable, Sendable {
    var user: Name
    var providers: [String]
  }

  struct Merge: Hashable, Sendable {
    var id: Name
    var survivor: Name
    var absorbed: Name
    var isUndone: Bool
    var identities: Int
    var emails: Int
  }

  /// The outcome of a sign-in, the reason of a refusal, or `ok`.
  var word: String
  var matchedBy: String?
  var user: Name?
  var status: String?
  /// The former id by which the user was asked for.
  var requested: Name?
  var identity: Identity?
  var registration: Name?
  /// What is held of an address.
  var held: Report?
  var attempts: Int?
  var isResumed = false
  var challenge: Name?
  var candidates: [Candidate] = []
  var emails: [Address: Email]?
  var identities: [Subject: Identity]?
  var email: Email?
  var token: Name?
  var plan: Name?
  var survivor: Name?
  var absorbed: Name?
  var merge: Merge?
  /// Whose the identity is that cannot be linked.
  var owner: Name?
  /// The merge that has to be undone first.
  var later: Name?

  init(_ word: String) { self.word = word }

  static var done: Answer { Answer("ok") }
}

extension Answer: CustomStringConvertible {
  var description: String {
    var parts = [word]
    func add(_ label: String, _ value: (any CustomStringConvertible)?) {
      if let value { parts.append("\(label) \(value)") }
    }
    if let user { parts.append("\(user)\(status.map { " \($0)" } ?? "")") }
    add("asked as", requested)
    add("by", matchedBy)
    if let identity { parts.append("\(identity)") }
    add("held", registration)
    add("with", held)
    add("attempts", attempts)
    if isResumed { parts.append("resumed") }
    add("challenge", challenge)
    for candidate in candidates { parts.append("\(candidate.user)? \(candidate.providers.joined(separator: "+"))") }
    for (address, email) in (emails ?? [:]).sorted(by: { $0.key < $1.key }) { parts.append("\(address) \(email)") }
    for (_, identity) in (identities ?? [:]).sorted(by: { $0.key < $1.key }) { parts.append("\(identity)") }
    add("email", email)
    add("token", token)
    add("plan", plan)
    if let survivor, let absorbed { parts.append("\(absorbed) into \(survivor)") }
    add("merge", merge)
    add("owner", owner)
    add("later", later)
    return parts.joined(separator: ", ")
  }
}

extension Answer.Identity: CustomStringConvertible {
  var description: String { "\(id)=\(subject) of \(user) by \(linkedBy)\(report.map { " says \($0)" } ?? "")" }
}

extension Answer.Email: CustomStringConvertible {
  var description: String {
    let sources = vouchers.sorted().map(\.description) + (isProvedByToken ? ["token"] : [])
    return (isVerified ? "verified" : "claimed") + (sources.isEmpty ? "" : " by \(sources.joined(separator: "+"))")
  }
}

extension Answer.Merge: CustomStringConvertible {
  var description: String {
    "\(id) \(absorbed) into \(survivor)\(isUndone ? " undone" : "") moved \(identities) identities, \(emails) addresses"
  }
}
