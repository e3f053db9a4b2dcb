import Accounts
import Testing

struct UniqueIDTests {
  @Test func `the example of RFC 9562 is made from its time and random bits`() {
    let random: (UInt64, UInt64) = (0, 0x18C4_DC0C_0C07_398F << 2)
    let id = UniqueID(version7At: Timestamp(microseconds: 1_645_557_742_000_000), random: random)
    // Where the example has random bits, 0xcc3, stands the part of the millisecond.
    #expect(id.description == "017f22e2-79b0-7000-98c4-dc0c0c07398f")
  }

  @Test func `version and variant stand whatever the random bits are`() {
    for random: (UInt64, UInt64) in [(0, 0), (.max, .max), (0xA5A5_A5A5_A5A5_A5A5, 0x5A5A_5A5A_5A5A_5A5A)] {
      let id = UniqueID(version7At: Timestamp(microseconds: 1_796_000_000_123_456), random: random)
      #expect(id.high >> 12 & 0xF == 7)
      #expect(id.low >> 62 == 0b10)
      #expect(id.time.microseconds == 1_796_000_000_123_000)
    }
  }

  @Test(arguments: [1, 1000]) func `ids sort by the time they were made, to the microsecond`(_ step: Int64) {
    let ids = (0..<2000).map { index in
      UniqueID(version7At: Timestamp(microseconds: index * step), random: (0, .max - UInt64(index) << 32))
    }
    #expect(ids.sorted() == ids)
    #expect(ids.map(\.description).sorted() == ids.map(\.description))
  }

  @Test func `the text form comes back as the same id in either case`() {
    var bits: UInt64 = 0x9E37_79B9_7F4A_7C15
    for _ in 0..<500 {
      bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let id = UniqueID(high: bits, low: bits.byteSwapped ^ bits)
      #expect(UniqueID(id.description) == id)
      #expect(UniqueID(id.description.uppercased()) == id)
      #expect(id.description.utf8.count == 36)
    }
  }

  @Test(arguments: [
    "", "017f22e2", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
    "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
    "{017f22e2-79b0-7cc3-98c4-dc0c0c0739}",
    "017f22e27-9b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398\u{FF46}",
    "017f22e2-79b0-7cc3-98c4 dc0c0c07398f",
  ])
  func `anything else is no id`(text: String) {
    #expect(UniqueID(text) == nil)
  }
}
