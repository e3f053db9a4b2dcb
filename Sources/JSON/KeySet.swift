/// Finds a key that stands twice in one object, compared after unescaping.
///
/// Its storage is kept from object to object. The work is linear in the size of the object however its keys were
/// chosen: large objects go through a hash table, and `Hasher` is seeded anew in each process.
final class KeySet {
  /// Up to this many members every pair of keys is compared: 496 comparisons of a word are still quicker than hashing.
  private static let pairwiseMembersMax = 32
  /// A table larger than this is given back after use; no honest call comes near it.
  private static let slotsKeptMax = 4096

  /// Open addressing: the distance in nodes from the object to a key, or 0 for an empty slot.
  private var slots: [UInt32] = []
  /// How many pairs of keys were looked at closely since the set was made: what a test of linearity counts.
  private(set) var comparisons = 0

  /// Whether two members of `object` have the same name.
  func hasDuplicate(in object: JSONValue) -> Bool {
    let end = object.node + Int(object.node.pointee.span)
    var key = object.node + 1
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.pairwiseMembersMax) { signatures in
      var count = 0
      while key < end {
        guard count < Self.pairwiseMembersMax else { return hasDuplicateByHash(object) }
        let value = JSONValue(text: object.text, node: key)
        let signature = Self.signature(of: value)
        for index in 0..<count where signatures[index] == signature {
          guard !isSame(value, member(index, of: object)) else { return true }
        }
        signatures[count] = signature
        count += 1
        key = value.nextNode
        key += Int(key.pointee.span)
      }
      return false
    }
  }

  /// The length of a key and its first seven bytes: different keys seldom agree in it.
  private static func signature(of key: JSONValue) -> UInt64 {
    guard !key.node.pointee.mark else {
      return key.withUTF8 { utf8 in
        var word: UInt64 = UInt64(truncatingIfNeeded: utf8.count) << 56
        for index in 0..<min(7, utf8.count) { word |= UInt64(utf8[index]) << UInt64(8 * index) }
        return word
      } ?? 0
    }
    let length = key.node.pointee.end - key.node.pointee.start
    let word = SWAR.load(key.text + Int(key.node.pointee.start))
    let mask: UInt64 = length >= 7 ? 0x00FF_FFFF_FFFF_FFFF : (1 << UInt64(8 * length)) - 1
    return word & mask | UInt64(truncatingIfNeeded: length) << 56
  }

  private func member(_ index: Int, of object: JSONValue) -> JSONValue {
    var key = object.node + 1
    for _ in 0..<index {
      key += 1
      key += Int(key.pointee.span)
    }
    return JSONValue(text: object.text, node: key)
  }

  private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    comparisons += 1
    return left.hasSameUTF8(as: right)
  }

  private func hasDuplicateByHash(_ object: JSONValue) -> Bool {
    let mask = clearSlots(for: object.count) - 1
    defer {
      if slots.count > Self.slotsKeptMax { slots = [] }
    }
    for (key, _) in object.members {
      var hasher = Hasher()
      key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      var slot = hasher.finalize() & mask
      while slots[slot] != 0 {
        let other = JSONValue(text: object.text, node: object.node + Int(slots[slot]))
        guard !isSame(key, other) else { return true }
        slot = (slot + 1) & mask
      }
      slots[slot] = UInt32(truncatingIfNeeded: key.node - object.node)
    }
    return false
  }

  /// Makes an empty table at most half full with `count` keys, and returns its size, a power of two.
  private func clearSlots(for count: Int) -> Int {
    var size = 64
    while size < count * 2 { size *= 2 }
    if slots.count < size {
      slots = [UInt32](repeating: 0, count: size)
    } else {
      for slot in 0..<size { slots[slot] = 0 }
    }
    return size
  }
}
