import Accounts

/// One line of the table of callers: whom it is about, and what they may do.
public struct CallerEntry: Hashable, Sendable {
  public enum Peer: Hashable, Sendable {
    case uid(UInt32)
    /// Members of a group, by primary or supplementary membership.
    case group(UInt32)
  }

  public let peer: Peer
  public let caller: Caller

  public init(peer: Peer, caller: Caller) {
    self.peer = peer
    self.caller = caller
  }
}

extension CallerEntry {
  private static let keys = [
    "name", "uid", "group", "socket", "methods", "namespaces", "access_groups", "may_assert", "may_authenticate",
    "may_see_owners",
  ]

  init?(reading reader: ValueReader) {
    guard let members = reader.members(Self.keys) else { return nil }
    let name = members.required("name")?.callerName()
    let peer = Peer(reading: members)
    let methods = members.required("methods", hint: "as [\"signin.*\", \"user.get\"]")?.items { $0.methodPattern() }
    // A caller is narrowed to namespaces; one that is not may act in all of them.
    let namespaces = members["namespaces"].map { $0.items { $0.namespacePattern() } ?? [] } ?? [.any]
    let accessGroups = AccessGroups(members["access_groups"]?.items { $0.accessGroup() } ?? [])
    let sockets = members["socket"]?.choice(SocketRole.self).map { [$0] } ?? Set(SocketRole.allCases)
    let mayAssert = members["may_assert"]?.flag() ?? false
    let mayAuthenticate = members["may_authenticate"]?.flag() ?? false
    let maySeeOwners = members["may_see_owners"]?.flag() ?? false
    guard let name, let peer, let methods else { return nil }
    self.init(
      peer: peer,
      caller: Caller(
        name: name, methods: methods, namespaces: namespaces, accessGroups: accessGroups, sockets: sockets,
        mayAssert: mayAssert, mayAuthenticate: mayAuthenticate, maySeeOwners: maySeeOwners))
  }
}

extension CallerEntry.Peer {
  fileprivate init?(reading members: MemberReader) {
    switch (members["uid"], members["group"]) {
    case (let uid?, nil):
      guard let uid = uid.uid() else { return nil }
      self = .uid(uid)
    case (nil, let group?):
      guard let gid = group.gid() else { return nil }
      self = .group(gid)
    case (nil, nil):
      members.object.report("\"uid\" or \"group\" is missing", hint: "a caller is known by one of them")
      return nil
    case (_?, let group?):
      group.report("a caller is known by \"uid\" or by \"group\", not by both")
      return nil
    }
  }
}

extension ValueReader {
  fileprivate func callerName() -> CallerName? {
    guard let text = text() else { return nil }
    guard let name = CallerName(text) else {
      report("must have 1 to \(CallerName.bytesMax) printable ASCII characters without spaces")
      return nil
    }
    return name
  }

  fileprivate func methodPattern() -> MethodPattern? {
    guard let text = text() else { return nil }
    guard let pattern = MethodPattern(text) else {
      report("must be \"*\", all of one noun as \"signin.*\", or a method as \"user.get\"")
      return nil
    }
    guard MethodNames.all.contains(where: pattern.matches) else {
      report("no method fits \"\(text)\"", hint: suggestion(for: text, among: MethodNames.patterns))
      return nil
    }
    return pattern
  }

  fileprivate func accessGroup() -> ExactText? {
    guard let text = exactText() else { return nil }
    guard text.byteCount <= CredentialPlace.bytesMax, text == "*" || !text.string.utf8.contains(UInt8(ascii: "*"))
    else {
      report(
        "must be \"*\" or the name of one access group, of at most \(CredentialPlace.bytesMax) bytes, without a star")
      return nil
    }
    return text
  }

  fileprivate func namespacePattern() -> NamespacePattern? {
    guard let text = text() else { return nil }
    guard let pattern = NamespacePattern(text) else {
      report("must be \"*\", all of one provider as \"apple:*\", or one namespace as \"apple:ABCDE12345\"")
      return nil
    }
    return pattern
  }
}
