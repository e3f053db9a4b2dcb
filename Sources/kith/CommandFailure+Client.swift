import Accounts
import Glibc
import JSONRPC
import KithClient
import Terminal

extension CommandFailure {
  /// A failed call as a command fails.
  ///
  /// - Parameters:
  ///   - socket: where the daemon was called.
  ///   - user: how the person named the user whom the daemon was asked for.
  init(_ error: ClientError, at socket: String, userNamed user: String? = nil) {
    switch error {
    case .refused(let refusal) where refusal.reason == .notFound && user != nil:
      let name = user ?? ""
      let hint = "an address finds its verified holder only; for others: kith user search"
      self.init(.notFound, "no user is named by \"\(name)\"", hint: name.contains("@") ? hint : nil)
    case .refused(let refusal):
      let hint = Self.hint(forRightsAt: socket, refusal) ?? Self.hint(for: refusal) ?? refusal.hint?.asPartOfLine
      self.init(Self.exitCode(of: refusal), refusal.message.asPartOfLine, hint: hint)
    case .unreachable(let path, _) where Self.isNoSocket(path):
      self.init(.daemonUnreachable, "\(path) is not a socket", hint: Self.otherSocketHint)
    case .unreachable(let path, _):
      self.init(.daemonUnreachable, error.description, hint: Self.hint(forUnreachable: path))
    case .connectionLost, .timedOut, .cancelled:
      self.init(.tryAgain, error.description, hint: "try again in a moment")
    case .invalidAnswer:
      self.init(
        .daemonUnreachable, "whoever listens at \(socket) does not speak Kith's protocol: \(error.description)",
        hint: Self.otherSocketHint)
    }
  }

  /// For a socket behind which there is no daemon of Kith, or one of another time.
  static let otherSocketHint = "name the administrators' socket of a kithd of the same version with --socket"

  private static func isNoSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
  }

  /// Whoever calls the apps' socket by mistake lacks rights that they have on the other.
  private static func hint(forRightsAt socket: String, _ refusal: RPCError) -> String? {
    guard refusal.reason == .methodForbidden || refusal.reason == .callerUnknown,
      ExactText(socket.split(separator: "/").last.map(String.init) ?? "") == "app.sock"
    else { return nil }
    return "this looks like the socket for apps; the administrators' is usually admin.sock beside it"
  }

  private static func exitCode(of refusal: RPCError) -> ExitCode {
    switch refusal.reason {
    case .notFound, .userErased: .notFound
    default: refusal.isRetryable ? .tryAgain : .failed
    }
  }

  private static func hint(for refusal: RPCError) -> String? {
    switch refusal.reason {
    case .internal: refusal.requestID.map { "the daemon's journal tells more of request \($0)" }
    case .callerUnknown: Self.callerHint
    case .methodForbidden: "your entry in callers does not allow this method, or not on this socket"
    case .namespaceUnknown: "kith status lists the namespaces that are configured"
    case .identityLinkedElsewhere: refusal.userID.map { "it is user \($0)'s; kith identity unlink takes it off them" }
    case .databaseUnavailable: "the daemon connects again by itself; kith doctor says more"
    case .invalidParams where refusal.path?.hasSuffix(".tenant") == true:
      "name it with --tenant; kith status lists the namespaces that are configured"
    default: nil
    }
  }

  /// What to do for a caller whom no entry of the configuration fits.
  static var callerHint: String {
    "add uid \(geteuid()), or one of your groups, to callers in the daemon's configuration, "
      + "then: systemctl reload kithd"
  }

  private static func hint(forUnreachable path: String) -> String {
    if access(path, F_OK) == 0 { return "is kithd running, and are you in the socket's group? Ask: kith doctor" }
    return errno == EACCES
      ? "you may not look into the socket's folder; kith doctor says what to do"
      : "start kithd, or name its administrators' socket with --socket"
  }
}

extension String {
  /// A sentence of the daemon's as commands write theirs, behind a colon: without its capital and its full stop.
  var asPartOfLine: String {
    let text = hasSuffix(".") ? dropLast() : self[...]
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
