import Foundation

/// Other programs, run to their end or for a time.
struct Program {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program and gives what it printed.
  @discardableResult
  static func run(_ path: String, _ arguments: [String], in folder: String? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else { throw Failure(description: "\(path) failed: \(text.suffix(2000))") }
    return text
  }

  /// The folder of the newest PostgreSQL that is installed.
  static func postgresFolder() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let newest = versions.compactMap({ Int($0) }).max() else {
      throw Failure(description: "no PostgreSQL is installed in \(root)")
    }
    return "\(root)/\(newest)/bin"
  }
}
