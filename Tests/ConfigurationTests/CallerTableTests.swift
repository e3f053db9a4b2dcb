import Accounts
import Configuration
import Testing

@Suite struct CallerTableTests {
  private func entry(
    _ name: String, _ peer: CallerEntry.Peer, sockets: Set<SocketRole> = [.app, .admin]
  ) throws -> CallerEntry {
    CallerEntry(peer: peer, caller: Caller(name: try #require(CallerName(name)), methods: [.any], sockets: sockets))
  }

  private func table() throws -> CallerTable {
    CallerTable([
      try entry("web", .uid(33), sockets: [.app]),
      try entry("ops", .group(991), sockets: [.admin]),
      try entry("users", .group(100)),
      try entry("late", .uid(33)),
    ])
  }

  @Test(
    arguments: [
      (33, [], SocketRole.app, "web"), (33, [], .admin, "late"), (33, [991], .admin, "ops"), (5, [991], .admin, "ops"),
      (5, [991], .app, nil), (5, [7, 100, 991], .app, "users"), (0, [0], .admin, nil), (5, [33], .app, nil),
    ] as [(UInt32, [UInt32], SocketRole, String?)])
  func `the first entry that fits says who calls`(
    _ uid: UInt32, _ gids: [UInt32], _ socket: SocketRole, _ name: String?
  ) throws {
    #expect(try table().match(uid: uid, gids: gids, socket: socket)?.name.description == name)
  }
}
