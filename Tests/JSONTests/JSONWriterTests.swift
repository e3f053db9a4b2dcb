import JSON
import Testing

struct JSONWriterTests {
  @Test func `commas stand between values and nowhere else`() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("a")
    writer.beginArray()
    writer.integer(1)
    writer.beginArray()
    writer.endArray()
    writer.beginObject()
    writer.endObject()
    writer.null()
    writer.endArray()
    writer.member("b")
    writer.bool(false)
    writer.member(named: "c\n")
    writer.raw("[1]")
    writer.member("d")
    writer.string("x" as String)
    writer.endObject()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":[1,[],{},null],"b":false,"c\n":[1],"d":"x"}"#)
  }

  @Test func `a string gets only the escapes that must be`() {
    var writer = JSONWriter()
    writer.string("\"\\/\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}é\u{2028}😀<" as String)
    let expected = #""\"\\/\u0001\b\t\n\f\r\u001f"# + "\u{7f}é\u{2028}😀<\""
    #expect(writer.bytes == Array(expected.utf8))
  }

  @Test func `a string is escaped alike at every place`() throws {
    for length in 0..<40 {
      let plain = String(repeating: "é", count: length % 3) + String(repeating: "a", count: length)
      for special in ["\"", "\\", "\u{1f}", "\n", ""] {
        var writer = JSONWriter()
        writer.string(plain + special + plain)
        #expect(try reading(writer.bytes) { $0.string } == plain + special + plain)
      }
    }
  }

  @Test func `whole numbers are written exactly`() {
    for value in [0, 1, -1, 9, 10, 99, 1_234_567_890, Int64.max, Int64.min] {
      var writer = JSONWriter()
      writer.integer(value)
      #expect(String(decoding: writer.bytes, as: UTF8.self) == String(value))
    }
  }

  @Test func `a writer begins anew when told to`() {
    var writer = JSONWriter(capacity: 64)
    writer.integer(1)
    writer.removeAll()
    writer.integer(2)
    #expect(writer.take() == Array("2".utf8))
    writer.integer(3)
    #expect(writer.bytes == Array("3".utf8))
  }

  @Test func `a line ends a message`() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.endObject()
    writer.endLine()
    writer.beginObject()
    writer.endObject()
    writer.endLine()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{}\n{}\n")
  }
}
