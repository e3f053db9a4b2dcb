/// Finds the known word that somebody who wrote an unknown one most likely meant.
public enum Spelling {
  /// Words above this length are not compared: the work grows with the square of the length.
  private static let wordBytesMax = 64

  /// The known word nearest to `word`, or nil when none is near enough to be worth suggesting.
  ///
  /// Near enough is one edit (a letter missing, added, changed, or two neighbours swapped) for every three letters.
  public static func nearest(to word: String, among known: [String]) -> String? {
    guard word.utf8.count <= wordBytesMax else { return nil }
    let distances = known.map { (word: $0, distance: distance(from: Array(word.utf8), to: Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
  }

  /// Edits between two words, a swap of neighbours counting as one (optimal string alignment).
  private static func distance(from left: [UInt8], to right: [UInt8]) -> Int {
    var twoAbove: [Int] = []
    var above = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let change = left[row] == right[column] ? 0 : 1
        var edits = min(above[column + 1] + 1, current[column] + 1, above[column] + change)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, twoAbove[column - 1] + 1)
        }
        current.append(edits)
      }
      twoAbove = above
      above = current
    }
    return above[right.count]
  }
}
