import Foundation
import Testing

@testable import Accounts

/// The canonical form of a canonical form is itself, for every character and for combinations that are known to be hard.
struct EmailAddressStabilityTests {
  @Test func `every character is refused or folds to something stable`() {
    let inert: [ClosedRange<UInt32>] = [0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3]
    let numbers = Array(0x0...0x1_FFFF as ClosedRange<UInt32>) + Array(0xE_0000...0xE_0FFF)
    var accepted = 0
    for number in numbers where !inert.contains(where: { $0.contains(number) }) {
      guard let scalar = Unicode.Scalar(number) else { continue }
      guard let address = try? EmailAddress("\(scalar)@example.org") else { continue }
      accepted += 1
      #expect(isStable(address), "U+\(String(number, radix: 16))")
    }
    #expect(accepted > 30_000)
  }

  @Test func `every character in a domain is refused or comes to something stable`() {
    for number in 0x0...0x2FFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(number) else { continue }
      guard let address = try? EmailAddress("mira@a\(scalar)b.example") else { continue }
      #expect(isStable(address), "U+\(String(number, radix: 16))")
      #expect(address.canonical.string.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test func `letters and marks in any order fold to something stable and alike in every spelling`() {
    let pieces = [
      "A", "ǰ", "ß", "İ", "ΐ", "ᾳ", "ᾼ", "ﬃ", "ŉ", "Σ", "ẞ", "ﾞ", "Å", "և", "ͅ", "\u{300}", "\u{301}", "\u{307}",
      "\u{308}",
      "\u{323}", "\u{345}", "\u{3B1}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{13A0}", "\u{AB70}",
    ]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          check(first + second + third)
        }
      }
    }
  }

  private func check(_ local: String) {
    guard let address = try? EmailAddress("\(local)@example.org") else { return }
    #expect(isStable(address), "\(local.unicodeScalars.map(\.value))")
    for spelling in [local.decomposedStringWithCanonicalMapping, local.precomposedStringWithCanonicalMapping] {
      let other = try? EmailAddress("\(spelling)@example.org")
      #expect(other?.canonical == address.canonical, "\(local.unicodeScalars.map(\.value))")
    }
  }

  private func isStable(_ address: EmailAddress) -> Bool {
    let again = try? EmailAddress(address.canonical.string)
    return again?.canonical == address.canonical
  }
}
