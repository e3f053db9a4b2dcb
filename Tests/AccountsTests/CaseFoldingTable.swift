import TestSupport
import Foundation

/// Case folding as Unicode's table states it, to compare with.
struct CaseFoldingTable {
  private let mappings: [Unicode.Scalar: String]

  init() throws {
    var mappings: [Unicode.Scalar: String] = [:]
    for row in try Vectors.unicodeRows(of: "unicode/CaseFolding.txt") where ["C", "F"].contains(row[1]) {
      guard let scalar = Vectors.string(fromHexadecimal: row[0])?.unicodeScalars.first else { continue }
      mappings[scalar] = Vectors.string(fromHexadecimal: row[2])
    }
    self.mappings = mappings
  }

  /// Full folding in normalisation form C, to a fixed point.
  func folded(_ text: String) -> String {
    let composed = text.precomposedStringWithCanonicalMapping
    let once = composed.unicodeScalars.map { mappings[$0] ?? String($0) }.joined().precomposedStringWithCanonicalMapping
    return once.utf8.elementsEqual(composed.utf8) ? once : folded(once)
  }
}
