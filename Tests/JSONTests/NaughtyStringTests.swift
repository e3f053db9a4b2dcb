import JSON
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.has("blns"), Comment(rawValue: Vectors.absence)))
struct NaughtyStringTests {
  @Test func `naughty strings come back byte for byte`() throws {
    let texts = try reading(try Vectors.bytes("blns/blns.json")) { list in
      list.elements.compactMap(\.string)
    }
    #expect(texts.count >= 500)
    for text in texts {
      var writer = JSONWriter()
      writer.string(text)
      let again = try reading(writer.bytes) { $0.string }
      #expect(again.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test func `naughty strings are names of members too`() throws {
    let texts = try reading(try Vectors.bytes("blns/blns.json")) { list in
      list.elements.compactMap(\.string)
    }
    for text in texts {
      var writer = JSONWriter()
      writer.beginObject()
      writer.member(named: text)
      writer.bool(true)
      writer.endObject()
      let names = try reading(writer.bytes) { $0.members.map { $0.key.string ?? "" } }
      #expect(names.map { Array($0.utf8) } == [Array(text.utf8)])
    }
  }
}
