import Glibc

/// What the host calls its users and groups, for people; the number where it has no name.
enum AccountName {
  /// One record with all its text; a group lists its members, so it may be long.
  private static let recordBytesMax = 1 << 20

  static func user(_ uid: UInt32) -> String {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var text = [CChar](repeating: 0, count: recordBytesMax)
    guard getpwuid_r(uid, &record, &text, text.count, &found) == 0, let found else { return "\(uid)" }
    return String(cString: found.pointee.pw_name)
  }

  static func group(_ gid: UInt32) -> String {
    var record = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var text = [CChar](repeating: 0, count: recordBytesMax)
    guard getgrgid_r(gid, &record, &text, text.count, &found) == 0, let found else { return "\(gid)" }
    return String(cString: found.pointee.gr_name)
  }
}
