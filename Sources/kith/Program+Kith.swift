import Terminal

extension Program where Context == CommandContext {
  /// Every command of `kith`.
  static let kith: Program = Program(
    Command(
      "kith", "Which of our users is this? The command line of the kith daemon.",
      details: """
        Talks to the daemon's administrators' socket, the first of these that is said:
          --socket PATH; sockets.admin of the file in --config; $KITH_SOCKET;
          sockets.admin of /etc/kith/kith.json5, where you may read it;
          $XDG_RUNTIME_DIR/kith/admin.sock, where it is there and you are not root;
          /run/kith/admin.sock
        Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not found,
          4 daemon unreachable, 5 try again
        """,
      verbs: [
        .status, .doctor, .user, .identity, .merge, .duplicates, .registration, .credential, .event, .audit, .key,
        .migrate, .completion,
      ]),
    options: [.socket, .json, .yes, .config, .database, .noColour])
}
