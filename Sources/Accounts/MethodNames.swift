/// The names of all methods of the interface, those of later versions included: what a caller may be allowed by name.
public enum MethodNames {
  /// One place for them, so that a configuration may allow today what is served tomorrow, and a slip of the pen is told.
  public static let all: [String] = [
    "signin.resolve", "signin.apple", "signin.linkedin", "signin.naver", "signin.password",
    "flow.begin", "flow.complete",
    "registration.complete", "registration.get", "registration.list", "registration.discard", "registration.fail",
    "link.confirm",
    "identity.link", "identity.unlink", "identity.list", "identity.get",
    "email.add", "email.verify", "email.remove", "email.list",
    "password.set", "password.remove",
    "user.get", "user.search", "user.update", "user.disable", "user.enable", "user.export", "user.erase",
    "merge.plan", "merge.run", "merge.undo", "merge.get", "merge.list",
    "duplicate.list",
    "credential.add", "credential.update", "credential.put", "credential.get", "credential.list", "credential.delete",
    "credential.history",
    "token.get", "token.revoke",
    "notification.apple", "notification.naver",
    "event.read", "event.ack", "event.subscribe",
    "audit.list", "audit.verify",
    "key.status", "key.rewrap",
    "server.status", "server.metrics", "rpc.discover", "system.ping",
  ]

  /// Every pattern that matches something: all methods of each noun, and each method by itself.
  public static let patterns: [String] = {
    let nouns = all.map { String($0.prefix { $0 != "." }) }
    return Set(nouns).sorted().map { "\($0).*" } + all
  }()
}
