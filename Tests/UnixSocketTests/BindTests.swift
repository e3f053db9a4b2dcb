import EventLoop
import FoundationEssentials
import Glibc
import TestSupport
import Testing
import UnixSocket

@Suite struct BindTests {
  @Test func `a socket has the mode and group asked for, and nothing is left beside it`() async throws {
    try await SocketFolder.with { folder in
      let gid: UInt32? = geteuid() == 0 ? 1 : nil
      close(try SocketListener.bind(path: folder["app.sock"], mode: 0o620, gid: gid))
      var status = stat()
      #expect(lstat(folder["app.sock"], &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o620)
      #expect(status.st_gid == gid ?? getegid())
      #expect(try folder.names == ["app.sock"])
    }
  }

  @Test func `a dead socket is replaced`() async throws {
    try await SocketFolder.with { folder in
      let path = folder["app.sock"]
      folder.leaveDeadSocket(at: path)
      let descriptor = try SocketListener.bind(path: path, mode: 0o600, gid: nil)
      close(try SocketStream.connect(path: path))
      close(descriptor)
    }
  }

  @Test func `a living socket is refused and goes on living`() async throws {
    try await SocketFolder.with { folder in
      let path = folder["app.sock"]
      let descriptor = try SocketListener.bind(path: path, mode: 0o600, gid: nil)
      #expect(throws: SocketError.inUse(path)) { try SocketListener.bind(path: path, mode: 0o600, gid: nil) }
      close(try SocketStream.connect(path: path))
      close(descriptor)
    }
  }

  @Test func `what is not a socket is left alone`() async throws {
    try await SocketFolder.with { folder in
      let path = folder["app.sock"]
      try Data("precious".utf8).write(to: URL(filePath: path))
      #expect(throws: SocketError.notASocket(path)) { try SocketListener.bind(path: path, mode: 0o600, gid: nil) }
      #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
      symlink(path, folder["link"])
      #expect(throws: SocketError.notASocket(folder["link"])) {
        try SocketListener.bind(path: folder["link"], mode: 0o600, gid: nil)
      }
    }
  }

  @Test(arguments: [99, 100, 106, 107]) func `a path of up to 107 bytes works`(bytes: Int) async throws {
    try await SocketFolder.with { folder in
      let path = folder.path(bytes: bytes)
      folder.leaveDeadSocket(at: path)
      let descriptor = try SocketListener.bind(path: path, mode: 0o600, gid: nil)
      close(try SocketStream.connect(path: path))
      close(descriptor)
      #expect(try folder.names.count == 1)
    }
  }

  @Test func `a path of 108 bytes, or of none, is refused`() async throws {
    try await SocketFolder.with { folder in
      for path in [folder.path(bytes: 108), ""] {
        #expect(throws: SocketError.pathTooLong(path)) { try SocketListener.bind(path: path, mode: 0o600, gid: nil) }
        #expect(throws: SocketError.pathTooLong(path)) { try SocketStream.connect(path: path) }
      }
    }
  }

  @Test func `a folder that is not there is named`() {
    #expect(throws: SocketError.system(call: "bind", path: "/nowhere/app.sock", errno: ENOENT)) {
      try SocketListener.bind(path: "/nowhere/app.sock", mode: 0o600, gid: nil)
    }
    #expect(throws: SocketError.system(call: "connect", path: "/nowhere/app.sock", errno: ENOENT)) {
      try SocketStream.connect(path: "/nowhere/app.sock")
    }
  }

  @Test func `closing a listener removes its own socket and nobody else's`() async throws {
    try await SocketFolder.with { folder in
      let path = folder["app.sock"]
      try await RunningLoop.with { loop in
        try await withTaskExecutorPreference(loop) { () async throws in
          let first = try SocketListener(
            on: loop, descriptor: try SocketListener.bind(path: path, mode: 0o600, gid: nil), ownedPath: path
          ) { close($0) }
          unlink(path)
          let second = try SocketListener(
            on: loop, descriptor: try SocketListener.bind(path: path, mode: 0o600, gid: nil), ownedPath: path
          ) { close($0) }
          first.close()
          close(try SocketStream.connect(path: path))
          second.close()
        }
      }
      #expect(try folder.names.isEmpty)
    }
  }
}
