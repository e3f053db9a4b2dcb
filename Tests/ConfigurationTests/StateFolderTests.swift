import Configuration
import Foundation
import Testing

@Suite struct StateFolderTests {
  private let folder: TemporaryFolder
  private let state: String

  init() throws {
    folder = try TemporaryFolder()
    state = folder.path + "/state"
    mkdir(state, 0o700)
    chmod(state, 0o700)
  }

  /// What is said of a path, with the folder's own path levelled; nil when nothing is wrong.
  private func complaint(_ path: String, owner: UInt32? = geteuid()) -> String? {
    do throws(StateFolder.Problem) {
      try StateFolder.check(path, owner: owner)
      return nil
    } catch {
      return error.message.replacingOccurrences(of: folder.path, with: "F")
    }
  }

  @Test func `a folder of its owner alone is right, and so is none`() {
    #expect(complaint(state) == nil)
    #expect(complaint(state, owner: nil) == nil)
    chmod(state, 0o755)
    #expect(complaint(state) == nil)
    #expect(complaint(state + "/none/yet") == nil)
  }

  @Test func `a folder of somebody else is refused, root's own being root's`() {
    let other = geteuid() + 1
    #expect(
      complaint(state, owner: other)
        == "F/state belongs to uid \(geteuid()), not to uid \(other), as which kithd runs")
    if geteuid() == 0 {
      chown(state, other, other)
      #expect(complaint(state, owner: 0) == "F/state belongs to uid 1, not to uid 0, as which kithd runs")
    } else {
      #expect(complaint("/etc")?.hasPrefix("/etc belongs to uid 0") == true)
    }
  }

  @Test(arguments: [0o770, 0o702, 0o777, 0o1777] as [mode_t])
  func `a folder that others may write to is refused`(_ mode: mode_t) {
    chmod(state, mode)
    let expected = "F/state can be written to by others than its owner (mode 0\(String(mode, radix: 8)))"
    #expect(complaint(state) == expected)
    #expect(complaint(state, owner: nil) == expected)
  }

  @Test func `what is no folder is refused`() throws {
    #expect(complaint(try folder.write("", to: "file")) == "F/file is no folder")
  }

  @Test func `a link of one's own is followed to the folder behind it`() {
    symlink(state, folder.path + "/link")
    #expect(complaint(folder.path + "/link") == nil)
    #expect(complaint(folder.path + "/link/none") == nil)
    chmod(state, 0o777)
    #expect(complaint(folder.path + "/link")?.hasPrefix("F/link can be written to") == true)
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a link away."), arguments: ["", "/deeper"])
  func `a link that somebody else made is refused, anywhere on the way and wherever it leads`(_ rest: String) {
    let link = folder.path + "/link"
    let expected = "F/link is a link that uid 1 made, and may lead elsewhere at any time"
    mkdir(state + "/deeper", 0o700)
    symlink(state, link)
    lchown(link, 1, 1)
    #expect(complaint(link + rest) == expected)
    #expect(complaint(link + rest, owner: nil) == expected)
    unlink(link)
    symlink("/nonexistent", link)
    lchown(link, 1, 1)
    #expect(complaint(link + rest) == expected)
  }
}
