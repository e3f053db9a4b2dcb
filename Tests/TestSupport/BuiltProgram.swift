import Glibc

/// The programs of this package as they were built with the tests.
public enum BuiltProgram {
  /// The path of a program, which lies beside the test program.
  public static func path(_ name: String) throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &path, Int(PATH_MAX)) > 0 else {
      throw SystemCallFailure(call: "readlink", errno: errno)
    }
    let program = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return program.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
  }
}
