import Configuration
import Testing

@Suite struct HostAccountDirectoryTests {
  @Test func `the host knows root`() {
    #expect(HostAccountDirectory().uid(ofUser: "root") == 0)
    #expect(HostAccountDirectory().gid(ofGroup: "root") == 0)
  }

  @Test(arguments: ["no-such-name", "", "root:x", "ro\u{0}ot"])
  func `an unknown name has no number`(_ name: String) {
    #expect(HostAccountDirectory().gid(ofGroup: "x" + name) == nil)
    #expect(HostAccountDirectory().uid(ofUser: "x" + name) == nil)
  }
}
