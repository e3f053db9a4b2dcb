import FoundationEssentials
import Schema
import Testing

@Suite struct SchemaTests {
  private static let folder =
    URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/sql"

  private func scripts(in folder: String) throws -> [String: String] {
    let path = "\(Self.folder)/\(folder)"
    var found: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".sql") {
      let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      found[String(name.dropLast(4))] = String(decoding: bytes, as: UTF8.self)
    }
    return found
  }

  @Test func `every migration of the folder is carried, byte for byte and in order`() throws {
    let files = try scripts(in: "migrations")
    let carried = Schema.migrations.map { migration in
      let digits = String(migration.version)
      return String(repeating: "0", count: 4 - digits.count) + digits + "_" + migration.script.name
    }
    #expect(carried == files.keys.sorted())
    for (name, migration) in zip(carried, Schema.migrations) {
      #expect(files[name].map { Array($0.utf8) } == Array(migration.script.text.utf8))
    }
  }

  @Test func `every script of functions is carried, byte for byte`() throws {
    let files = try scripts(in: "functions")
    #expect(Schema.functions.map(\.name) == files.keys.sorted())
    for script in Schema.functions {
      #expect(files[script.name].map { Array($0.utf8) } == Array(script.text.utf8))
    }
  }

  @Test func `every migration opens with why`() {
    for migration in Schema.migrations {
      #expect(migration.script.text.hasPrefix("-- Why: "), "\(migration.script.name)")
    }
  }
}
