import FoundationEssentials

/// The public test vectors, which lie outside the package: in the folder named by `KITH_VECTORS`, or else in
/// `../shared/vectors` beside it. Tests that need them are skipped, and say so, where they are absent.
public enum Vectors {
  public static let absence = "The test vectors are absent; KITH_VECTORS names their folder."

  public static let folder: String =
    ProcessInfo.processInfo.environment["KITH_VECTORS"] ?? packageRoot + "/../shared/vectors"

  /// Whether a suite, such as `JSONTestSuite`, can be read.
  public static func has(_ suite: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(suite)")
  }

  /// The bytes of a file, its path given from the folder of the vectors.
  public static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
  }

  /// The names of the files in a folder, sorted.
  public static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(path)").sorted()
  }

  private static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
