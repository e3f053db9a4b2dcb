/// Which of the daemon's two sockets a caller came through.
public enum SocketRole: String, Hashable, Sendable, CaseIterable {
  case app
  case admin
}
