import API
import Accounts
import JSON
import JSONRPC
import Testing

struct OpenRPCTests {
  private static func document() -> String {
    var writer = JSONWriter()
    Response<RPCDiscover>(OpenRPC.document(apiVersion: "1.2.3")).encode(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `the document is the same each time`() {
    #expect(Self.document() == Self.document())
  }

  @Test func `a caller can be allowed every method that is served`() {
    for method in MethodRegistry.all { #expect(MethodNames.all.contains("\(method.name)"), "\(method.name)") }
    #expect(Set(MethodNames.all).count == MethodNames.all.count)
  }

  @Test func `the document lists every method with its errors`() throws {
    try reading(Self.document()) { document in
      #expect(document.member("openrpc")?.string?.hasPrefix("1.") == true)
      #expect(document.member("info")?.member("version")?.string == "1.2.3")
      let methods = document.member("methods")?.elements.map { $0 } ?? []
      #expect(methods.map { $0.member("name")?.string } == MethodRegistry.all.map { "\($0.name)" })
      for (method, definition) in zip(methods, MethodRegistry.all) {
        #expect(method.member("paramStructure")?.equals("by-name") == true)
        let reasons = method.member("errors")?.elements.map { $0.member("data")?.member("reason")?.string }
        #expect(reasons == definition.allErrors.map(\.rawValue))
      }
    }
  }

  @Test(arguments: MethodExample.all)
  func `the schemas accept what the methods take and answer`(example: MethodExample) throws {
    try reading(Self.document()) { document in
      let method = try #require(
        document.member("methods")?.elements.first { $0.member("name")?.string == example.name })
      let check = SchemaCheck(schemas: try #require(document.member("components")?.member("schemas")))
      let descriptors = try #require(method.member("params"))
      for params in [example.minimal] + example.full {
        try reading(params) { #expect(check.accepts($0, descriptors: descriptors) == nil) }
      }
      let schema = try #require(method.member("result")?.member("schema"))
      try reading(example.result) { #expect(check.accepts($0, schema) == nil) }
      let tree = JSONTree(example.result)
      for (path, value) in tree.places where !path.hasPrefix("methods") && !path.hasPrefix("components") {
        try reading(tree.with(value.wrong, at: path).text) { #expect(check.accepts($0, schema) != nil, "\(path)") }
      }
    }
  }

  /// Without those that are refused by a message of their own.
  private static func servedParameters(of method: JSONValue) -> Set<String> {
    var names: Set<String> = []
    for parameter in method.member("params")?.elements.map(\.self) ?? []
    where parameter.member("description")?.string != "Not served by this version." {
      if let name = parameter.member("name")?.string { names.insert(name) }
    }
    return names
  }

  @Test(arguments: MethodExample.all)
  func `the examples have every parameter there is`(example: MethodExample) throws {
    try reading(Self.document()) { document in
      let method = try #require(
        document.member("methods")?.elements.first { $0.member("name")?.string == example.name })
      let described = Self.servedParameters(of: method)
      var used: Set<String> = example.method.changes ? ["request_key"] : []
      for params in [example.minimal] + example.full {
        try reading(params) { used.formUnion($0.members.compactMap(\.key.string)) }
      }
      #expect(used == described)
    }
  }
}
