import JSONRPC
import Testing

struct FrameReaderTests {
  @Test func `each line is a frame`() {
    var receiver = Receiver(frameBytesMax: 100)
    receiver.feed("{}\n[1]\r\n\n\r\n a\rb \n")
    #expect(receiver.frames == ["{}", "[1]", "", "", " a\rb "])
    #expect(receiver.reader.partialFrame == nil)
  }

  @Test func `frames are the same however the bytes are cut`() {
    let text = "{\"a\":\"é\"}\n\r\n[1,2]\r\nabc\n\n😀\n"
    let expected = ["{\"a\":\"é\"}", "", "[1,2]", "abc", "", "😀"]
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var receiver = Receiver(frameBytesMax: 100)
        receiver.feed(bytes[..<first])
        receiver.feed(bytes[first..<second])
        receiver.feed(bytes[second...])
        #expect(receiver.frames == expected)
      }
    }
    var receiver = Receiver(frameBytesMax: 100)
    for byte in bytes { receiver.feed([byte]) }
    #expect(receiver.frames == expected)
  }

  @Test func `frames are the same with pauses after each`() {
    let bytes = Array("one\ntwo\r\nthree\n\nfive\nrest".utf8)
    for cut in 0...bytes.count {
      var receiver = Receiver(frameBytesMax: 100)
      receiver.pausesAfter = 1
      receiver.feed(bytes[..<cut])
      receiver.feed(bytes[cut...])
      while receiver.reader.isPaused { receiver.resume() }
      receiver.feed(" of it\n")
      #expect(receiver.frames == ["one", "two", "three", "", "five", "rest of it"])
      #expect(!receiver.tooLong)
    }
  }

  @Test func `no frame is told while paused`() {
    var receiver = Receiver(frameBytesMax: 100)
    receiver.pausesAfter = 2
    receiver.feed("1\n2\n3\n4\n5\n")
    #expect(receiver.frames == ["1", "2"])
    receiver.feed("6\n")
    #expect(receiver.frames == ["1", "2"])
    receiver.resume()
    #expect(receiver.frames == ["1", "2", "3", "4"])
    receiver.resume()
    #expect(receiver.frames == ["1", "2", "3", "4", "5", "6"])
    receiver.resume()
    #expect(!receiver.reader.isPaused)
  }

  @Test func `the limit does not count the end of the line`() {
    for end in ["\n", "\r\n"] {
      var whole = Receiver(frameBytesMax: 5)
      whole.feed("12345" + end + "1" + end)
      #expect(whole.frames == ["12345", "1"])
      #expect(!whole.tooLong)

      var bytewise = Receiver(frameBytesMax: 5)
      for byte in ("12345" + end).utf8 { bytewise.feed([byte]) }
      #expect(bytewise.frames == ["12345"])
      #expect(!bytewise.tooLong)

      var longer = Receiver(frameBytesMax: 5)
      longer.feed("1" + end + "123456" + end + "1" + end)
      #expect(longer.frames == ["1"])
      #expect(longer.tooLong)
    }
  }

  @Test func `a line that is too long is told once, before its end has come`() {
    var receiver = Receiver(frameBytesMax: 5)
    receiver.feed("12345")
    #expect(!receiver.tooLong)
    receiver.feed("6")
    #expect(receiver.tooLong && receiver.reader.isClosed)
    receiver.feed("\nabc\n")
    receiver.resume()
    #expect(receiver.frames.isEmpty && receiver.tooLongCount == 1)
  }

  @Test func `a carriage return inside a line counts`() {
    var receiver = Receiver(frameBytesMax: 5)
    receiver.feed("12345\r")
    #expect(!receiver.tooLong)
    receiver.feed("6")
    #expect(receiver.tooLong)
  }

  @Test func `a line that is too long is found after a pause`() {
    var receiver = Receiver(frameBytesMax: 3)
    receiver.pausesAfter = 1
    receiver.feed("1\n2\n12345")
    #expect(receiver.frames == ["1"] && !receiver.tooLong)
    receiver.resume()
    #expect(receiver.frames == ["1", "2"] && !receiver.tooLong)
    receiver.resume()
    #expect(receiver.tooLong)
  }

  @Test func `a frame that has begun is known until it is complete`() {
    var receiver = Receiver(frameBytesMax: 100)
    #expect(receiver.reader.partialFrame == nil)
    receiver.feed("a")
    let first = receiver.reader.partialFrame
    #expect(first != nil)
    receiver.feed("b")
    #expect(receiver.reader.partialFrame == first)
    receiver.feed("\nc")
    #expect(receiver.reader.partialFrame != nil && receiver.reader.partialFrame != first)
    receiver.feed("\n")
    #expect(receiver.reader.partialFrame == nil)
  }
}

/// Takes down what a reader tells.
private struct Receiver {
  var reader: FrameReader
  var frames: [String] = []
  var tooLongCount = 0
  /// Pauses after every so many frames.
  var pausesAfter = Int.max

  init(frameBytesMax: Int) {
    reader = FrameReader(frameBytesMax: frameBytesMax)
  }

  var tooLong: Bool { tooLongCount > 0 }

  mutating func feed(_ text: String) { feed(Array(text.utf8)) }

  mutating func feed(_ bytes: some Collection<UInt8>) {
    Array(bytes).withUnsafeBytes { chunk in take { reader, receive in reader.feed(chunk, receive) } }
  }

  mutating func resume() {
    take { reader, receive in reader.resume(receive) }
  }

  private mutating func take(_ run: (inout FrameReader, (FrameReader.Event) -> FrameReader.Flow) -> Void) {
    var taken: [String] = []
    var long = 0
    let most = pausesAfter
    run(&reader) { event in
      switch event {
      case .frame(let bytes): taken.append(String(decoding: bytes, as: UTF8.self))
      case .tooLong: long += 1
      }
      return taken.count >= most ? .pause : .more
    }
    frames += taken
    tooLongCount += long
  }
}
